//! Words that show that a question needs a whole list, in several languages. A row adds a language.
//!
//! Words of scripts that write spaces are in lower case; those of others are found anywhere in a sentence.

/// English verbs that do something with all of the material.
pub(super) const VERBS: &str = "\
 compare contrast rank rate score grade sort order arrange list enumerate summarise summarize recap outline condense abridge translate rewrite \
 rephrase paraphrase proofread merge combine classify categorise categorize group label extract tabulate transcribe review evaluate assess \
 itemise itemize shortlist prioritise prioritize reorder deduplicate cluster count";

/// Words of those, and of [`ARTEFACTS`], that are other things as well.
pub(super) const NOUNS_AS_WELL: &str =
    "contrast rank rate score grade sort order list outline group label extract review table index abstract minutes digest cluster count";

/// Words that show that the word before them, one of [`NOUNS_AS_WELL`], is a verb.
pub(super) const DETERMINERS: &str = "\
 the these those all each every them this my our your us me it both any out down up by two three four five six seven eight nine ten";

/// Words that may come directly before a verb that the user asks for.
pub(super) const ASKS: &str = "please kindly you now me just also lets let's us must should";

/// First words of sentences in which a second verb is asked for as well.
pub(super) const IMPERATIVES: &str = "\
 read take look use go please open check find get fetch collect gather fix add explain describe tell study examine analyse analyze identify pick \
 choose select consider search";

/// Words that English is known by.
pub(super) const ENGLISH: &str = "the and with from this these that's it's to";

/// Words that a language is known by, and beginnings of its verbs that do something with all of the material.
pub(super) const LANGUAGES: [(&str, &str); 10] = [
    (
        "der die das den dem ein eine einen und für mit bitte von ins zu zum alle jede jedes ihnen sie du mir",
        "vergleich ordn sortier zähl list zusammenfass zusammenzufass fass übersetz bewert gruppier klassifizier nenn gliedere",
    ),
    (
        "le la les des de du un une et pour ce ces cette l d en s vous moi tous chaque",
        "compar résum tradui énum list class ordonn hiérarchis évalu triez trie synthétis recens",
    ),
    (
        "el la los las de un una y para por en cada todos todas del me",
        "compar clasific orden resum traduc traduzc enumer list evalú evalúa",
    ),
    (
        "il lo la i gli le di un una e per in ogni tutti tutte dei delle mi",
        "confront compar riassum traduc tradur elenc classific ordin valut",
    ),
    ("o os as do da dos das um uma e para por em cada todos todas me", "compar classific orden resum traduz enumer list avali"),
    ("de het een en van voor in alle elk elke deze mij", "vergelijk rangschik vat vertaal sorteer som beoordeel"),
    ("и в на по из для все всех каждый каждую эти", "сравн перевед перевест перечисл резюм упоряд ранжир сортир обобщ кратко оцен"),
    ("i w na z dla do wszystkie każdy każdą te", "porówn przetłumacz wymień streść podsumuj uszereguj posortuj oceń"),
    ("ve bir bu için ile her tüm", "karşılaştır çevir listele özetle sırala"),
    ("في من على إلى كل هذه جميع", "قارن ترجم لخص رتب عدد اذكر"),
];

/// Verbs of scripts that write no spaces.
pub(super) const SIGNS: &str = "\
 比较 比較 对比 對比 对照 排名 排序 排列 总结 總結 概括 归纳 翻译 翻譯 译成 列出 列举 列舉 罗列 枚举 分类 归类 改写 评估 统计 比べ まとめ 要約 訳し \
 列挙 並べ 一覧 비교 요약 번역 나열 정리 열거 분류";

/// Characters that may come before a verb of [`SIGNS`] that the user asks for.
pub(super) const BEFORE_SIGNS: &str = "，,、：: 。再并且请請我你来先后的을를";

/// Requests in the shape of questions, a line each.
pub(super) const ASKED: &str = "
 can you
 could you
 would you
 will you
 kannst du
 können sie
 könntest du
 könnten sie
 würdest du
 peux tu
 pouvez vous
 pourriez vous
 pourrais tu
 puedes
 podrías
 puede usted
 podría
 puoi
 può
 potresti
 potrebbe
 pode
 podes
 poderia
 kun je
 kunt u
 kan je
 можешь
 можете
 могли бы
 możesz
 هل يمكنك
 请
 請
 帮我
 幫我
 给我
 麻烦
 ください
 下さい
 してくれ
 주세요
 해줘
 하세요
";

/// First words of questions; of scripts without spaces, words that only questions have.
pub(super) const QUESTIONS: &str = "\
 who whom whose what when where why which how is are was were do does did has have had can could will would should in on at for from \
 wer wen wem wessen was wann wo warum wieso welche welcher welches welchen wie ist sind war hat haben wird kann qui que quoi quand où \
 pourquoi quel quelle quels quelles comment combien est quién qué cuándo dónde cuál cuáles cómo cuánto es chi che cosa quando dove \
 perché quale quali come quanto quem qual quais onde como wie wat waar waarom welk hoe кто что когда где почему какой какая какие как \
 сколько kto kiedy gdzie dlaczego jaki jak kim ne nerede nasıl من ما متى أين لماذا كيف كم هل \
 什么 什麼 谁 誰 哪 多少 几 吗 嗎 呢 为何 何时 何 誰が いつ どこ なぜ どの どう ですか ますか 누구 무엇 언제 어디 왜 어떻게 몇";

/// Words for all or each, and those that ask for some of a whole.
pub(super) const QUANTIFIERS: &str = "\
 all each every everything entire which many who \
 alle allen aller alles jede jeder jedes jeden jedem sämtliche sämtlichen wer welche welcher welches \
 tous toutes chaque chacun chacune lesquels lequel todos todas cada cuáles cuál tutti tutte ogni ciascun ciascuno ciascuna \
 elke ieder iedere allemaal все всех всем всеми каждый каждая каждое каждого каждой каждому wszystkie wszystkich każdy każda każde \
 tüm bütün hepsi كل جميع सभी प्रत्येक \
 所有 全部 每个 每個 每一 每位 每份 每篇 每章 每条 每條 每项 每種 每种 各个 各個 各项 各章 各篇 各自 すべて 全て 全員 それぞれ 모든 모두 전부 각각";

/// Words between a word for all and what it counts.
pub(super) const STOPS: &str = "\
 of the these those them this my our your its their two three four five six seven eight nine ten der die das den dem des diese dieser \
 diesen von zwei drei vier fünf les des ces cet cette de du la le l deux trois quatre los las el estos estas del dos tres cuatro i gli le \
 dei delle questi queste os as dos das estes estas het deze van и этих из";

/// Words that count time: `every two weeks` is not about a list.
pub(super) const TIMES: &str = "\
 second seconds minute minutes hour hours day days night week weeks weekend fortnight month months quarter year years time times other \
 morning evening monday tuesday wednesday thursday friday saturday sunday tag tage tagen woche wochen monat monate monaten jahr jahre \
 jahren stunde stunden minute minuten mal nacht morgen vierzehn jour jours semaine semaines mois an ans année années heure heures fois \
 día días semana semanas mes meses año años hora horas vez veces giorno giorni settimana settimane mese mesi anno anni ora ore volta volte \
 dia dias mês ano anos uur dag dagen weken maand maanden jaar день дня дней неделю недели месяц месяца год года час часа раз dzień tydzień \
 miesiąc rok gün hafta ay yıl saat يوم أسبوع شهر سنة عام 天 日 周 週 月 年 小时 时 分 秒 星期 季 次 晚 早 時 일 주 월 년";

/// Words between a word and the same word: `chapter by chapter`.
pub(super) const BY: &str = "by für par por per a à voor за po";

/// Articles before a piece of writing.
pub(super) const ARTICLES: &str = "a an the eine einen ein un une una uno um uma een";

/// Verbs that make a piece of writing, as first words.
pub(super) const MAKERS: &str = "\
 give write make provide create draft prepare produce generate show build compile schreibe erstelle gib mach verfasse donne donnez fais \
 faites rédige rédigez écris da dame haz escribe crea elabora fai scrivi dê faça escreva crie geef maak schrijf дай составь напиши napisz";

/// Pieces of writing that need all of the material.
pub(super) const ARTEFACTS: &str = "\
 summary summaries overview comparison ranking list table timeline translation outline digest synopsis abstract minutes glossary index \
 recap bibliography zusammenfassung überblick übersicht vergleich rangliste liste tabelle übersetzung gliederung résumé synthèse aperçu \
 comparaison classement liste tableau traduction chronologie resumen síntesis comparación clasificación lista tabla traducción cronología \
 riassunto sintesi confronto classifica elenco tabella traduzione resumo comparação tabela tradução samenvatting overzicht vergelijking \
 lijst tabel vertaling сводку обзор сравнение список таблицу перевод podsumowanie listę";

/// Words for people, and their applications, that a user chooses among: the parts are compared, whatever the question asks of them.
pub(super) const CHOICES: &str = "\
 candidate candidates applicant applicants contender contenders finalist finalists contestant contestants nominee nominees interviewee \
 interviewees bewerber bewerberin bewerberinnen bewerbern bewerbung bewerbungen kandidat kandidaten kandidatin kandidatinnen candidat candidats \
 candidate candidates candidature candidatures candidato candidatos candidata candidatas candidati sollicitant sollicitanten kandidaat \
 kandidaten кандидат кандидаты кандидатов кандидата кандидату кандидатам kandydat kandydaci kandydatów aday adaylar adayları المرشح المرشحين \
 候选人 候選人 应聘者 應聘者 求职者 申请人 候補者 応募者 후보 지원자";

/// The same behind a word that points to them: `which offer`, `these proposals`.
pub(super) const OPTIONS: &str = "\
 option options offer offers proposal proposals bid bids alternative alternatives vendor vendors supplier suppliers submission submissions \
 resumes résumés cvs angebot angebote angeboten vorschlag vorschläge optionen lebensläufe offre offres proposition propositions options devis \
 oferta ofertas propuesta propuestas opciones opción offerta offerte proposta proposte opzioni propostas";

/// Words that point to parts of a list.
pub(super) const POINTS: &str = "\
 which the these those all our both welches welche welcher diese dieser diesen die quelle quel quelles quels ces cette les cuál cuáles estas \
 estos las los esta quale quali queste questi le qual quais essas";

/// Nouns for the parts of a list.
pub(super) const PARTS: &str = "\
 document documents passage passages source sources text texts excerpt excerpts chunk chunks article articles paper papers snippet snippets \
 paragraph paragraphs chapter chapters dokument dokumente dokumenten quelle quellen texte textes auszug auszüge abschnitt abschnitte kapitel \
 extrait extraits chapitre chapitres documento documentos fuente fuentes texto textos fragmento fragmentos capítulo capítulos documenti fonte \
 fonti testo testi capitolo capitoli 文档 文檔 文件 资料 段落 文章 章节 片段 文書 資料 문서 자료";

/// Words for relations between parts.
pub(super) const RELATIONS: &str = "\
 contradiction contradictions contradictory contradict contradicts inconsistent inconsistency inconsistencies consistent duplicate duplicates \
 duplicated agree disagree overlap overlaps conflict conflicts differ differs difference differences widersprechen widerspruch widersprüche \
 unterscheiden unterschied unterschiede contredisent contradiction contradictions diffèrent différence différences contradicen contradicción \
 contradicciones difieren diferencia diferencias contraddicono differenza differenze 矛盾 不一致 区别 差异 一致 重复 違い 相違";

/// Phrases that ask for an order or for all, a line each.
pub(super) const PHRASES: &str = "
 step by step
 the steps
 one by one
 in what order
 in which order
 in the right order
 in the correct order
 in chronological order
 in alphabetical order
 in reverse order
 order of events
 chronologically
 timeline of
 guide me
 guide us
 walk me
 walk us
 lead me
 lead us
 take me through
 take us through
 talk me through
 from start to finish
 from beginning to end
 from first to last
 which one
 which ones
 one of these
 one of those
 one of them
 two of these
 two of them
 who is the best
 who is best
 who is better
 who is the most
 who should we
 who should i
 who fits
 who has the most
 who has the least
 who does not
 who doesn t
 who is not
 who isn t
 best fit
 best suited
 most suitable
 as a table
 into a table
 find contradictions
 any contradictions
 find inconsistencies
 find duplicates
 which of them
 which of these
 which of those
 best of them
 pros and cons
 differences between them
 differences between these
 difference between these
 do they agree
 they have in common
 sie gemeinsam haben
 do they all
 contradict each other
 der reihe nach
 in der reihenfolge
 in welcher reihenfolge
 in der richtigen reihenfolge
 nacheinander
 schritt für schritt
 chronologisch
 führe mich
 leite mich
 fasse zusammen
 wer von ihnen
 welche von ihnen
 dans l ordre
 dans quel ordre
 ordre chronologique
 pas à pas
 un par un
 une par une
 l un après l autre
 guide moi
 guidez moi
 lequel d entre
 laquelle d entre
 paso a paso
 en orden
 en qué orden
 por orden
 orden cronológico
 uno por uno
 una por una
 guíame
 cuál de ellos
 passo dopo passo
 passo passo
 passo a passo
 in ordine
 em ordem
 por ordem
 uno per uno
 um por um
 stap voor stap
 op volgorde
 één voor één
 шаг за шагом
 пошагово
 по порядку
 по очереди
 krok po kroku
 po kolei
 adım adım
 sırayla
 خطوة بخطوة
 بالترتيب
 依次
 逐一
 逐个
 逐個
 逐条
 逐章
 逐段
 按顺序
 按照顺序
 顺序
 順序
 一步一步
 一步步
 步骤
 步驟
 分步
 时间线
 順番
 順に
 手順
 一つずつ
 ステップごと
 時系列
 순서
 단계별
 차례
 하나씩
 시간순
";
