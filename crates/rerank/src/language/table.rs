//! The known languages, each with its stemmer and its stop words.

use super::Letters;
use rust_stemmers::Algorithm;

/// A language.
#[derive(Debug)]
pub struct Language {
    /// Its English name.
    pub name: &'static str,
    /// Its Snowball stemmer, where there is one.
    pub(super) stemmer: Option<Algorithm>,
    /// Articles, prepositions, pronouns, auxiliary verbs, question words.
    pub(super) stop_words: &'static str,
}

const fn language(name: &'static str, stemmer: Option<Algorithm>, stop_words: &'static str) -> Language {
    Language { name, stemmer, stop_words }
}

/// Languages of Latin letters; of two that are equally likely the earlier one counts.
pub(super) const LATIN: &[Language] = &[
    language(
        "English",
        Some(Algorithm::English),
        "a an the of in on at to for from by with and or but not is are was were be been being do does did has have had can \
         could will would should may might must it its this that these those there their they he she his her him we our you \
         your i me my what which who whom whose when where why how if as than then so such into about over under between also \
         any all some no each other more most own same s t",
    ),
    language(
        "German",
        Some(Algorithm::German),
        "der die das den dem des ein eine einer eines einem einen und oder aber nicht ist sind war waren sein wird werden wurde \
         wurden hat haben hatte hatten kann können in im an am auf zu zum zur von vom mit für bei aus nach über unter durch um \
         als wie was wer wen wem wessen welche welcher welches welchen welchem wann wo warum wieso woher wohin sich es er sie \
         wir ihr man dass auch nur noch so dieser diese dieses",
    ),
    language(
        "French",
        Some(Algorithm::French),
        "le la les l un une des du de d et ou mais ne pas n est sont était étaient être a ont avait avoir fut en dans sur à au \
         aux pour par avec sans sous entre que qu qui quoi quel quelle quels quelles quand où comment pourquoi combien ce cet \
         cette ces se s son sa ses leur leurs il elle ils elles on nous vous y plus comme c j",
    ),
    language(
        "Spanish",
        Some(Algorithm::Spanish),
        "el la los las un una unos unas de del al a y e o u pero no es son era eran fue fueron ser ha han había haber en con por \
         para sin sobre entre que qué quién quiénes cuál cuáles cuándo cuánto cuántos cuántas dónde cómo como se su sus lo le \
         les este esta estos estas ese esa eso más también ya muy",
    ),
    language(
        "Portuguese",
        Some(Algorithm::Portuguese),
        "o a os as um uma uns umas de do da dos das e ou mas não é são era eram foi foram ser há tem em no na nos nas com por \
         pelo pela para sem sobre entre que quem qual quais quando quanto quantos onde como se seu sua seus suas ao aos à às \
         ele ela eles mais também isso este esta",
    ),
    language(
        "Italian",
        Some(Algorithm::Italian),
        "il lo la i gli le l un uno una di del dello della dei degli delle d a al alla ai da dal dalla in nel nella con su sul \
         sulla per tra fra e ed o ma non è sono era erano fu essere ha hanno aveva che chi cui cosa quale quali quando quanto \
         quanti dove come perché si suo sua suoi loro questo questa più anche",
    ),
    language(
        "Dutch",
        Some(Algorithm::Dutch),
        "de het een en of maar niet is zijn was waren wordt worden werd werden heeft hebben had kan in op aan te van voor met \
         bij uit naar over onder door om als dan dat die dit deze wat wie welke welk wanneer waar waarom hoe hoeveel er ze hij \
         zij we hun ook nog",
    ),
    language(
        "Swedish",
        Some(Algorithm::Swedish),
        "en ett den det de och eller men inte är var vara blev har hade kan i på av till för från med om som att vid under över \
         mellan vad vem vilka vilken vilket när där hur varför sig sin sitt sina han hon vi också",
    ),
    language(
        "Danish",
        Some(Algorithm::Danish),
        "en et den det de og eller men ikke er var være blev har havde kan i på af til for fra med om som at ved under over \
         mellem hvad hvem hvilke hvilken hvilket hvornår hvor hvordan hvorfor sig sin han hun vi også",
    ),
    language(
        "Norwegian",
        Some(Algorithm::Norwegian),
        "en et ei den det de og eller men ikke er var være ble har hadde kan i på av til for fra med om som å ved under over \
         mellom hva hvem hvilke hvilken hvilket når hvor hvordan hvorfor seg sin han hun vi også",
    ),
    language(
        "Finnish",
        Some(Algorithm::Finnish),
        "ja tai mutta ei on oli ovat olivat olla se ne hän he tämä nämä joka jotka jonka että kun kuin myös mikä mitä mitkä \
         missä mistä mihin kuka kenen ketkä milloin miksi miten kuinka jos sen sekä",
    ),
    language(
        "Hungarian",
        Some(Algorithm::Hungarian),
        "a az egy és vagy de nem van volt vannak voltak is hogy ha mint meg már csak ez azok ezek mi mit ki kit kik mikor hol \
         hová honnan miért hogyan melyik milyen mennyi hány ami aki amely",
    ),
    language(
        "Romanian",
        Some(Algorithm::Romanian),
        "un o unei unui și şi sau dar nu este e sunt era erau fost fi a au avea în din de la pe cu pentru prin fără între că să \
         se care ce cine cui când unde cum cât câți câte al ai ale lui ei lor mai ca acest această acestea sa său",
    ),
    language(
        "Turkish",
        Some(Algorithm::Turkish),
        "ve veya ile ama fakat bir bu şu o için gibi kadar daha çok en de da ki mi mı mu mü ne neyi kim kimin kime hangi hangisi \
         nerede nereye nereden nasıl neden niçin kaç olan olarak oldu değil var yok ise sonra önce tarafından",
    ),
    language(
        "Polish",
        None,
        "i w we z ze na do od o po za przez dla przy nie jest są był była było byli być to ten ta te tego tej się jak co kto \
         kogo czego jaki jaka jakie które która który kiedy gdzie dlaczego ile oraz lub ale że jego jej ich",
    ),
    language(
        "Czech",
        None,
        "a i v ve z ze na do od o po za pro při s se si ne je jsou byl byla bylo byli být to ten ta co kdo koho jak jaký jaká \
         jaké který která které kdy kde proč kolik nebo ale že jeho její jejich",
    ),
    language(
        "Vietnamese",
        None,
        "là và của có được trong cho các những một không với đã để ở này khi từ đến như về do bởi cũng nào gì ai đâu sao mấy bao \
         nhiêu thế vì người ta nó họ đó theo tại hay hoặc",
    ),
    language(
        "Indonesian",
        None,
        "yang dan di ke dari untuk dengan pada adalah ini itu tidak atau oleh dalam sebagai akan telah juga ada apa siapa kapan \
         mana dimana mengapa bagaimana berapa para bisa dapat karena mereka",
    ),
];

/// Languages of other letters, by their script.
pub(super) const OTHER: &[(Letters, Language)] = &[
    (
        Letters::Cyrillic,
        language(
            "Russian",
            Some(Algorithm::Russian),
            "и в во на с со к ко о об от до из за по у для при через над под не ни но а или что чтобы как так это этот эта эти \
             тот та те он она оно они его её ее их мы вы я был была было были быть есть кто кого чего чем какой какая какое \
             какие каким каких который которая которые когда где куда откуда почему зачем сколько чей же ли бы",
        ),
    ),
    (
        Letters::Greek,
        language(
            "Greek",
            Some(Algorithm::Greek),
            "ο η το οι τα του της των τον την τους τις στο στη στην στον στα στις στους σε και ή αλλά δεν δε μη να θα για με από \
             ως είναι ήταν έχει έχουν είχε που πού πως πώς τι ποιος ποια ποιο ποιοι ποιες ποιον ποιου πότε πόσο πόσα πόσοι γιατί \
             όταν αν ένα μια ένας μία αυτό αυτή αυτός",
        ),
    ),
    (
        Letters::Arabic,
        language(
            "Arabic",
            Some(Algorithm::Arabic),
            "في من على إلى الى عن مع بين ما ماذا متى أين اين كيف لماذا كم أي اي أية هل هو هي هم هذا هذه ذلك تلك التي الذي الذين \
             كان كانت يكون تكون أن ان إن لا لم لن قد و أو او ثم بعد قبل عند كل غير",
        ),
    ),
    (
        Letters::Devanagari,
        language(
            "Hindi",
            None,
            "का की के में है हैं था थी थे को से ने पर और या एक यह वह ये वे इस उस इन उन क्या कौन किस किसने किसे कब कहाँ कहां क्यों कैसे \
             कितने कितनी कितना कौनसा जो तो ही भी नहीं हो होता होती होते गया गई गए लिए साथ द्वारा तक अपने कर",
        ),
    ),
    (Letters::Tamil, language("Tamil", Some(Algorithm::Tamil), "ஒரு இது அது என்று என்ன யார் எப்போது எங்கே ஏன் எப்படி மற்றும் இந்த அந்த")),
];

/// Characters of which two neighbours are mostly no word: particles, copulas, question words.
pub(super) const STOP_SYLLABLES: &str = "的是了在和与與于於由被有为為什么麼哪谁誰何些个個吗嗎呢の は が を に で と も へ か な";
