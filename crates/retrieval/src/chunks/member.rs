//! Names of JSON members: those that search services, vector stores and frameworks give to a text, a score and a source, and those
//! by which records of other kinds are recognized.

/// The kind of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// The text.
    Text,
    /// The text, under a name that only retrievers use.
    Document,
    /// A score of relevance; not `sure` where other things have such scores too, in whole numbers.
    Score {
        /// Whether nothing else is called so.
        sure: bool,
    },
    /// The source of the text.
    Source,
    /// Its title.
    Title,
    /// Another name or id.
    Name,
    /// Its place or number in the list.
    Place,
    /// Other members of it.
    Holder,
    /// A member that records of another kind have; not `sure` where search results have it too.
    Record {
        /// Whether search results have no such member.
        sure: bool,
    },
    /// Anything else.
    Other,
}

const TEXTS: &str = "text content snippet body chunk chunktext chunkcontent passage passagetext excerpt description summary rawcontent \
 documenttext markdown quote abstract extract fragment highlight highlights answer output fulltext textcontent extrasnippets captions memory";
const DOCUMENTS: &str = "pagecontent contentwithweight documentcontent";
const SCORES: &str = "similarity similarityscore relevancescore rerankscore rerankerscore searchscore searchrerankerscore vectorscore cosinesimilarity \
 cosinedistance matchscore vectorsimilarity termsimilarity certainty distancescore relevanz";
const MAY_SCORE: &str = "score relevance distance rank";
const SOURCES: &str = "url uri link href source sources sourceurl sourceuri sourcefile permalink filename filepath fileid documentid docid documentname docname \
 chunkid webpage website displayurl documenturl sourceid parenturl weblink doi arxivid";
const TITLES: &str = "title headline heading documenttitle";
const NAMES: &str = "id name path file key slug";
const PLACES: &str = "position index number ref citation citationnumber n";
const HOLDERS: &str = "source metadata meta data document node payload fields properties entity item location s3location weblocation record hit \
 doc additional storageinfo resource chunk derivedstructdata structdata";
const RECORDS: &str = "status state priority level severity role done completed checked assignee assignees due duedate line linenumber lineno \
 lines startline match matches step ordinal amount quantity qty price currency sku balance stdout stderr exitcode passed duration sender recipient \
 speaker start end starttime endtime commit sha diff patch method table column";
const MAY_BE_RECORDS: &str = "ts time user username from to cc channel thread threadts subject timestamp event action seq";

/// Returns the kind of a member by its name.
pub(super) fn member(name: &str) -> Member {
    let key: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let is = |list: &str| list.split_whitespace().any(|word| word == key);
    // What begins with a sign is a service's own.
    let own = name.starts_with(['_', '@']);
    match () {
        () if is(DOCUMENTS) => Member::Document,
        () if is(SCORES) || own && is(MAY_SCORE) => Member::Score { sure: true },
        () if is(MAY_SCORE) => Member::Score { sure: false },
        () if own && is(HOLDERS) => Member::Holder,
        () if is(TEXTS) => Member::Text,
        () if is(SOURCES) => Member::Source,
        () if is(TITLES) => Member::Title,
        () if is(NAMES) => Member::Name,
        () if is(PLACES) => Member::Place,
        () if is(RECORDS) => Member::Record { sure: true },
        () if is(MAY_BE_RECORDS) => Member::Record { sure: false },
        () if is(HOLDERS) => Member::Holder,
        () => Member::Other,
    }
}
