//! Words by which prompts name retrieved text, the question, the answer and the source of a chunk, in several languages.
//!
//! A list is found by its structure; a word only gives that structure a meaning. A row adds a language. Words of scripts that write
//! spaces are whole words in lower case; those of scripts without spaces ([`LETTERS_OF`]) are found anywhere in a phrase.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The words for retrieved text.
const CONTEXT: &str = "\
 context contexts document documents docs source sources passage passages excerpt excerpts extract extracts snippet snippets \
 chunk chunks reference references result results knowledge background information evidence article articles fragment fragments \
 material materials facts citations retrieved \
 kontext dokument dokumente dokumenten quelle quellen auszug auszüge auszügen textstelle textstellen textauszüge passagen \
 suchergebnis suchergebnisse treffer fundstellen informationen wissen wissensbasis hintergrund fragmente artikel unterlagen belege \
 contexte contextes extrait extraits résultat résultats connaissance connaissances informations référence références \
 contexto contextos documento documentos fuente fuentes pasaje pasajes fragmento fragmentos extracto extractos resultado resultados \
 información conocimiento conocimientos referencia referencias artículo artículos \
 contesto documenti fonte fonti passaggio passaggi brano brani estratto estratti frammenti risultati informazioni conoscenza \
 riferimenti fontes passagem passagens trecho trechos excerto excertos informação informações conhecimento \
 documenten bron bronnen fragmenten resultaten informatie kennis \
 контекст контекста контексте документ документы документов документах источник источники источников фрагмент фрагменты \
 фрагментов отрывок отрывки отрывков результаты результатов сведения информация информации информацию \
 kontekst kontekstu kontekście dokumenty dokumentów źródło źródła źródeł fragmenty fragmentów wyniki informacje \
 bağlam bağlamı belge belgeler kaynak kaynaklar pasajlar bilgi bilgiler sonuçlar \
 السياق سياق المستندات مستندات الوثائق وثائق المصادر مصادر المقاطع مقاطع النتائج نتائج المعلومات معلومات \
 संदर्भ दस्तावेज़ स्रोत जानकारी \
 上下文 文档 文件 资料 资讯 参考 来源 片段 段落 检索 搜索结果 知识 背景 已知 信息 材料 引用 \
 資料 參考 來源 檢索 搜尋結果 知識 資訊 コンテキスト 文脈 文書 ドキュメント 参考 出典 抜粋 検索結果 情報 \
 문맥 컨텍스트 문서 자료 출처 발췌 검색 정보 지식";

/// The words for a question.
const QUESTION: &str = "\
 question questions query frage fragen anfrage nutzerfrage benutzerfrage requête pregunta consulta domanda pergunta vraag вопрос запрос \
 pytanie zapytanie soru السؤال سؤال प्रश्न सवाल 问题 提问 問題 質問 질문";

/// The words for the person who asks, as a label of one word or two.
const PERSON: &str = "\
 user human prompt request nutzer benutzer demande utilisateur usuario richiesta utente usuário gebruiker пользователь użytkownik \
 kullanıcı 用户 ユーザー 사용자";

/// The words for an answer.
const ANSWER: &str = "\
 answer answers response reply assistant output antwort ausgabe réponse sortie respuesta salida risposta resposta antwoord ответ \
 odpowiedź cevap yanıt الإجابة إجابة الجواب उत्तर 回答 答案 回复 回覆 答え 답변 대답";

/// The words for the rules of a prompt.
const RULES: &str = "\
 instruction instructions task rules guidelines requirements constraints anweisung anweisungen aufgabe regeln hinweise consigne \
 consignes tâche règles instrucciones tarea reglas istruzioni compito regole instruções tarefa regras instructies taak regels \
 инструкция инструкции задача правила instrukcje zadanie zasady talimatlar görev kurallar التعليمات المهمة القواعد \
 要求 说明 说明 指示 任务 規則 規则 规则 注意 指令 指示 タスク ルール 지시 지침 규칙 작업";

/// The words that point to the place of the retrieved text.
const POINTERS: &str = "\
 following below follows under beneath above provided given here these folgende folgenden folgendem nachfolgend nachfolgenden unten \
 untenstehenden obigen bereitgestellten suivant suivants suivante suivantes dessous voici fourni fournis fournies fournie \
 siguiente siguientes abajo continuación proporcionado proporcionada proporcionados aquí seguente seguenti sotto seguito forniti \
 fornito ecco seguinte seguintes abaixo fornecido fornecidos fornecidas volgende onderstaande hieronder verstrekte \
 следующие следующий следующую следующего ниже вот poniższe poniższych następujące poniżej aşağıdaki şu التالية التالي أدناه المقدمة \
 निम्नलिखित नीचे 以下 下面 下列 如下 根据 基于 上述 以上 提供 根據 基於 次の 下記 以下の 다음 아래";

/// The words that may precede the number in a chunk's head.
const HEADS: &str = "\
 document doc source passage chunk result context excerpt extract snippet reference text article node quote fragment citation hit \
 evidence paragraph page record \
 dokument quelle auszug textstelle textauszug suchergebnis treffer abschnitt kontext fundstelle textabschnitt beleg \
 extrait résultat référence contexte documento fuente fragmento extracto resultado contexto referencia pasaje \
 fonte brano estratto risultato contesto trecho excerto bron fragment resultaat \
 документ источник фрагмент отрывок результат контекст źródło kontekst wynik belge kaynak sonuç bağlam \
 المستند مستند المصدر مصدر المقطع مقطع الوثيقة وثيقة النتيجة नतीजा दस्तावेज़ स्रोत \
 文档 文件 资料 参考资料 来源 片段 段落 结果 搜索结果 检索结果 上下文 参考 引用 材料 內容 資料 來源 參考資料 檢索結果 \
 文書 ドキュメント 出典 抜粋 検索結果 문서 자료 출처 결과";

/// Heads that parts of one text have as well: law, minutes, manuals.
const HEADS_OF_ONE_TEXT: &str = "text article node quote paragraph page record abschnitt textabschnitt 段落";

/// Keys of lines that say where a chunk is from.
const SOURCES: &str = "\
 source url uri link href file filename filepath path document doc title page id docid chunk chunkid score similarity relevance \
 distance name metadata website site domain citation reference pagelabel pagenumber filename documentname documentid documenttitle \
 sourceurl sourcefile sourceid collection \
 quelle titel datei dateiname seite dokument fundstelle adresse fichier titre lien référence fuente título archivo página enlace \
 documento fonte titolo collegamento arquivo ligação bron bestand pagina источник название файл ссылка страница документ źródło \
 tytuł plik strona kaynak başlık dosya bağlantı المصدر العنوان الرابط الملف 来源 标题 链接 网址 文件 文件名 文档 页码 出处 地址 \
 來源 標題 連結 網址 檔案 出典 タイトル リンク ファイル 출처 제목 링크 파일";

/// Keys of lines that hold a chunk's text.
const BODIES: &str = "\
 content text body snippet description excerpt passage summary pagecontent documentcontent quote extract abstract value \
 inhalt auszug textauszug beschreibung contenu extrait résumé contenido fragmento resumen descripción contenuto estratto conteúdo \
 trecho resumo inhoud содержание текст описание treść opis içerik metin المحتوى النص 内容 正文 摘要 片段 內容 本文 要約 내용 본문";

/// Beginnings of words that ask for an answer or a citation.
const ANSWERS: &str = "\
 answer respond reply cite quote beantwort antwort zitier répond cite citez responde contest cita rispond responda beantwoord отвеч ответ \
 odpowied cevap yanıtla أجب 回答 答え 답변 답하";

/// Beginnings of words that say by what to answer.
const USES: &str = "\
 use using based refer rely given nutze verwende gestützt basierend utilis selon basant utiliz usa basa secondo gebruik использ używ \
 kullan استخدم 使用 根据 基于 用いて 기반";

/// Words that point to what comes before them.
const ABOVE: &str = "\
 above obigen obige oben ci-dessus dessus arriba anteriores sopra acima hierboven bovenstaande выше powyższe yukarıdaki أعلاه \
 以上 上述 上面 上記 위의";

/// Phrases for what to do where nothing answers.
const UNKNOWN: [&str; 32] = [
    "don't know",
    "do not know",
    "don’t know",
    "make up",
    "unsure",
    "not sure",
    "uncertain",
    "say so",
    "nicht weißt",
    "nicht weiss",
    "nicht wissen",
    "unsicher",
    "ne sais pas",
    "ne savez pas",
    "pas sûr",
    "no sabes",
    "no lo sabe",
    "no sé",
    "non sai",
    "não sabe",
    "não souber",
    "weet je het niet",
    "niet weet",
    "не знаешь",
    "не знаете",
    "nie wiesz",
    "bilmiyorsan",
    "لا تعرف",
    "不知道",
    "不确定",
    "わからない",
    "모르",
];

/// Whether a phrase in lower case says what to do where nothing answers.
pub(super) fn unknown(phrase: &str) -> bool {
    UNKNOWN.iter().any(|words| phrase.contains(words))
}

/// The first letters of scripts that write no spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c as u32, 0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

/// A list of words, ready to be looked up.
pub(crate) struct WordList {
    spaced: HashSet<&'static str>,
    unspaced: Vec<&'static str>,
}

impl WordList {
    pub(crate) fn new(list: &'static str) -> WordList {
        let (unspaced, spaced): (Vec<_>, Vec<_>) = list.split_whitespace().partition(|word| word.starts_with(is_unspaced));
        WordList { spaced: spaced.into_iter().collect(), unspaced }
    }

    /// Whether `word`, in lower case, is one of them.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.spaced.contains(word) || self.unspaced.contains(&word)
    }

    /// Whether a phrase in lower case has one of them.
    pub(crate) fn are_in(&self, phrase: &str) -> bool {
        let wide = || phrase.contains(is_unspaced) && self.unspaced.iter().any(|word| phrase.contains(word));
        words(phrase).any(|word| self.spaced.contains(word)) || wide()
    }

    /// Whether `word`, in lower case, begins with one of them.
    pub(crate) fn begin(&self, word: &str) -> bool {
        self.spaced.iter().any(|known| word.starts_with(known)) || self.unspaced.iter().any(|known| word.starts_with(known))
    }

    /// Whether a word of a phrase in lower case begins with one of them.
    pub(crate) fn begin_in(&self, phrase: &str) -> bool {
        words(phrase).any(|word| self.spaced.iter().any(|known| word.starts_with(known)))
            || phrase.contains(is_unspaced) && self.unspaced.iter().any(|known| phrase.contains(known))
    }

    /// Whether a phrase in lower case ends with one of them.
    pub(crate) fn end(&self, phrase: &str) -> bool {
        words(phrase).last().is_some_and(|word| self.spaced.contains(word)) || self.unspaced.iter().any(|word| phrase.ends_with(word))
    }
}

/// The words of a phrase: stretches of letters, digits and what joins them.
pub(crate) fn words(phrase: &str) -> impl DoubleEndedIterator<Item = &str> {
    phrase.split(|c: char| !c.is_alphanumeric() && !is_mark(c)).filter(|word| !word.is_empty())
}

/// Vowel signs of Indic scripts and Arabic marks belong to their word.
fn is_mark(c: char) -> bool {
    matches!(c as u32, 0x300..=0x36f | 0x64b..=0x65f | 0x900..=0x903 | 0x93a..=0x94f)
}

macro_rules! lists {
    ($($name:ident = $words:expr;)*) => {
        $(pub(super) fn $name() -> &'static WordList {
            static LIST: LazyLock<WordList> = LazyLock::new(|| WordList::new($words));
            &LIST
        })*
    };
}

lists! {
    context = CONTEXT;
    question = QUESTION;
    person = PERSON;
    answer = ANSWER;
    rules = RULES;
    pointers = POINTERS;
    heads = HEADS;
    heads_of_one_text = HEADS_OF_ONE_TEXT;
    sources = SOURCES;
    bodies = BODIES;
    answers = ANSWERS;
    uses = USES;
    above = ABOVE;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_where_spaces_part_them() {
        assert!(context().are_in("the search results:") && !context().are_in("a contextual resource"));
        assert!(context().are_in("【上下文信息】") && context().are_in("voici le contexte"));
        assert!(question().end("user question") && question().end("我的问题") && !question().end("question of taste"));
        assert!(sources().has("page") && !sources().has("pages"));
    }
}
