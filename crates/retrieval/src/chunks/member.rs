//! Names of JSON members: those that search services, vector stores and frameworks give to a text, a score and a source, and those
//! by which records of other kinds are recognized.

use super::vocabulary::has;

/// The kind of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// The text.
    Text,
    /// The text, under a name that only retrievers use.
    Document,
    /// A score of relevance.
    Score,
    /// A score of relevance, unless it is a whole number.
    Rank,
    /// The source of the text.
    Source,
    /// Its title.
    Title,
    /// Another name or id.
    Name,
    /// Its place, number or kind.
    Place,
    /// Other members of it.
    Holder,
    /// A member that records of another kind have.
    Record,
    /// Anything else.
    Other,
}

/// The names of each kind in lower case, without signs but a first `_`, which services put before their own.
const NAMES: [(Member, &str); 10] = [
    (
        Member::Document,
        "pagecontent contentwithweight documentcontent",
    ),
    (
        Member::Score,
        "similarity similarityscore relevancescore rerankscore rerankerscore searchscore searchrerankerscore vectorscore \
         cosinesimilarity cosinedistance matchscore vectorsimilarity termsimilarity certainty distancescore relevanz _score \
         _distance _relevance",
    ),
    (Member::Rank, "score relevance distance rank"),
    (
        Member::Text,
        "text content snippet body chunk chunktext chunkcontent passage passagetext excerpt description summary rawcontent \
         documenttext markdown quote abstract extract fragment highlight highlights answer output fulltext textcontent \
         extrasnippets captions memory",
    ),
    (
        Member::Source,
        "url uri link href source sources sourceurl sourceuri sourcefile permalink filename filepath fileid documentid docid \
         documentname docname chunkid webpage website displayurl documenturl sourceid parenturl weblink doi arxivid",
    ),
    (Member::Title, "title headline heading documenttitle name"),
    (Member::Name, "id path file key slug _id"),
    (
        Member::Place,
        "type mediatype format position index number ref citation citationnumber n",
    ),
    (
        Member::Record,
        "status state priority level severity role done completed checked assignee assignees due duedate line linenumber lineno \
         lines startline match matches step ordinal amount quantity qty price currency sku balance stdout stderr exitcode passed \
         duration sender recipient speaker start end starttime endtime commit sha diff patch method table column ts time user \
         username from to cc channel thread threadts subject timestamp event action seq",
    ),
    (
        Member::Holder,
        "_source _additional searchresult metadata meta data document node payload fields properties entity item location s3location \
         weblocation record hit doc additional storageinfo resource chunk derivedstructdata structdata",
    ),
];

/// Returns the kind of a member by its name.
pub(super) fn member(name: &str) -> Member {
    let kept = name
        .char_indices()
        .filter(|(at, c)| c.is_alphanumeric() || *at == 0 && *c == '_');
    let key: String = kept.flat_map(|(_, c)| c.to_lowercase()).collect();
    NAMES
        .iter()
        .find(|(_, names)| has(names, &key))
        .map_or(Member::Other, |(kind, _)| *kind)
}
