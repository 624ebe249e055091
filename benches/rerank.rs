//! Measures the ranking of rag-rerank, compared with BM25, and the loss caused by the threshold: `cargo bench --bench rerank --
//! [FOLDER]`.
//!
//! FOLDER has files of JSON lines, `{"query", "docs": [{"text", "rel"}]}`, plain or as zstd; without one it is `tests/ir`.
//! Parameters were chosen on the lists with even numbers; the figures are of those with odd numbers. The output is Markdown.

use deadhead_retrieval::score::{order, scores, threshold};
use serde::Deserialize;
use serde_jsonlines::JsonLinesReader;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The lists of this repository; their README names the sources.
const LISTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ir");

#[derive(Deserialize)]
struct List {
    query: String,
    docs: Vec<Doc>,
}

#[derive(Deserialize)]
struct Doc {
    text: String,
    rel: f64,
}

/// A list with the scores that a ranker gave its chunks.
struct Ranked {
    scores: Vec<f64>,
    relevant: Vec<f64>,
}

fn main() -> io::Result<()> {
    let folder = std::env::args()
        .skip(1)
        .find(|arg| !arg.starts_with('-'))
        .unwrap_or_else(|| LISTS.to_owned());
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| io::Error::other(format!("{folder}: {error}")))?;
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| set(path).is_some());
    files.sort();
    println!(
        "| set | lists | BM25 nDCG@10, all | rag-rerank nDCG@10, all | even | odd (test) | recall at half, all | odd (test) |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let (mut sets, mut halves) = (Vec::new(), Vec::new());
    for path in &files {
        let lists = read(path)?;
        let rank = |list: &List, by: fn(&str, &[&str]) -> Vec<f64>| {
            let texts: Vec<&str> = list.docs.iter().map(|doc| doc.text.as_str()).collect();
            Ranked {
                scores: by(&list.query, &texts),
                relevant: list.docs.iter().map(|doc| doc.rel).collect(),
            }
        };
        let plain: Vec<Ranked> = lists.iter().map(|list| rank(list, bm25)).collect();
        let ours: Vec<Ranked> = lists.iter().map(|list| rank(list, scores)).collect();
        let name = set(path).unwrap_or_default().to_owned();
        let half = |odd: usize| {
            ours.iter()
                .enumerate()
                .filter(move |(i, _)| i % 2 == odd)
                .map(|(_, list)| list)
        };
        println!(
            "| {name} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
            lists.len(),
            mean(plain.iter().map(ndcg)),
            mean(ours.iter().map(ndcg)),
            mean(half(0).map(ndcg)),
            mean(half(1).map(ndcg)),
            mean(ours.iter().map(recall_at_half)),
            mean(half(1).map(recall_at_half)),
        );
        let (odd, even): (Vec<_>, Vec<_>) =
            lists.into_iter().enumerate().partition(|(i, _)| i % 2 == 1);
        let [odd, even] = [odd, even].map(|part| {
            part.into_iter()
                .map(|(_, list)| list)
                .collect::<Vec<List>>()
        });
        for (what, part) in [
            ("even", &even),
            ("odd", &odd),
            ("odd, joined", &pairs(&odd)),
        ] {
            halves.push((
                format!("{name}, {what}"),
                part.iter()
                    .map(|list| rank(list, scores))
                    .collect::<Vec<Ranked>>(),
            ));
        }
        sets.push((name, ours));
    }
    curve(&sets);
    defaults(&halves);
    speed();
    Ok(())
}

/// The name of a set of lists: that of its file.
fn set(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".zst")
        .unwrap_or(name)
        .strip_suffix(".jsonl")
}

fn read(path: &Path) -> io::Result<Vec<List>> {
    let file = BufReader::new(File::open(path)?);
    let packed = path.extension().is_some_and(|e| e == "zst");
    let text: Box<dyn BufRead> = if packed {
        Box::new(BufReader::new(zstd::Decoder::with_buffer(file)?))
    } else {
        Box::new(file)
    };
    JsonLinesReader::new(text).read_all().collect()
}

/// Every two lists as one, with both questions: more chunks matter, and each has less of the question.
fn pairs(lists: &[List]) -> Vec<List> {
    let join = |pair: &[List]| {
        let mut docs: Vec<Doc> = Vec::new();
        for doc in pair.iter().flat_map(|list| &list.docs) {
            match docs.iter_mut().find(|known| known.text == doc.text) {
                Some(known) => known.rel = known.rel.max(doc.rel),
                None => docs.push(Doc {
                    text: doc.text.clone(),
                    rel: doc.rel,
                }),
            }
        }
        List {
            query: pair
                .iter()
                .map(|list| list.query.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            docs,
        }
    };
    lists.chunks_exact(2).map(join).collect()
}

/// The effects of a threshold on lists.
#[derive(Default)]
struct Outcome {
    lists: f64,
    /// Lists that lose a relevant chunk.
    losing: f64,
    relevant: f64,
    found: f64,
    irrelevant: f64,
    dropped: f64,
}

impl Outcome {
    /// Of lists in which a chunk is removed that scores less than `threshold` says of the shares of its list.
    fn of<'a>(
        lists: impl Iterator<Item = &'a Ranked>,
        threshold: impl Fn(&[f64]) -> f64,
    ) -> Outcome {
        let mut all = Outcome::default();
        for list in lists {
            let best = list.scores.iter().copied().fold(0.0, f64::max);
            let shares: Vec<f64> = list
                .scores
                .iter()
                .map(|score| if best > 0.0 { score / best } else { 1.0 })
                .collect();
            let threshold = threshold(&shares);
            let stays = |i: usize| f64::from(u8::from(shares[i] >= threshold));
            let (relevant, others): (Vec<usize>, Vec<usize>) =
                (0..shares.len()).partition(|&i| list.relevant[i] > 0.0);
            let found: f64 = relevant.iter().map(|&i| stays(i)).sum();
            all.lists += 1.0;
            all.losing += f64::from(u8::from(found < relevant.len() as f64));
            all.relevant += relevant.len() as f64;
            all.found += found;
            all.irrelevant += others.len() as f64;
            all.dropped += others.iter().map(|&i| 1.0 - stays(i)).sum::<f64>();
        }
        all
    }

    fn recall(&self) -> f64 {
        self.found / self.relevant
    }

    /// Share of the irrelevant chunks that go, in percent.
    fn gone(&self) -> f64 {
        100.0 * self.dropped / self.irrelevant
    }
}

/// The default threshold, which is chosen by the scores of each list, beside that of all lists before it.
fn defaults(sets: &[(String, Vec<Ranked>)]) {
    println!(
        "\n| lists | irrelevant chunks dropped | recall | lists that lose a relevant chunk | dropped at 0.15 | recall at 0.15 |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for (name, lists) in sets {
        let chosen = Outcome::of(lists.iter(), threshold);
        let fixed = Outcome::of(lists.iter(), |_| 0.15);
        let (gone, recall, losing) = (
            chosen.gone(),
            chosen.recall(),
            100.0 * chosen.losing / chosen.lists,
        );
        println!(
            "| {name} | {gone:.0} % | {recall:.3} | {losing:.1} % | {:.0} % | {:.3} |",
            fixed.gone(),
            fixed.recall()
        );
    }
}

/// Prints, by threshold, the share of irrelevant chunks that are dropped and the share of relevant ones that are kept.
fn curve(sets: &[(String, Vec<Ranked>)]) {
    println!(
        "\n| threshold | {} |",
        sets.iter()
            .map(|(name, _)| format!("{name} dropped, recall"))
            .collect::<Vec<_>>()
            .join(" | ")
    );
    println!("|--:|{}", "--:|".repeat(sets.len()));
    for threshold in [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5] {
        let cell = |lists: &Vec<Ranked>| Outcome::of(lists.iter(), |_| threshold);
        let cells = sets
            .iter()
            .map(|(_, lists)| cell(lists))
            .map(|outcome| format!("{:.0} %, {:.3}", outcome.gone(), outcome.recall()));
        println!(
            "| {threshold} | {} |",
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
}

/// Time for 50 chunks of 2 KB: the best of many, after a warm-up.
fn speed() {
    let words = include_str!("../docs/ASSUMPTIONS.md");
    let text: String = words
        .repeat(1 + 100_000 / words.len())
        .chars()
        .filter(char::is_ascii)
        .collect();
    let chunks: Vec<&str> = (0..50).map(|i| &text[i * 1900..i * 1900 + 2000]).collect();
    let question = "Which entries of a history count, and what does the report say of a line that is malformed?";
    let time = |_| {
        let start = Instant::now();
        let found = scores(question, &chunks);
        (start.elapsed().as_secs_f64() * 1e3, found.len()).0
    };
    let mut times: Vec<f64> = (0..400).map(time).collect();
    times.sort_by(f64::total_cmp);
    println!(
        "\n50 chunks of 2,000 bytes, a question of 17 words: {:.2} ms (median {:.2} ms)",
        times[0],
        times[times.len() / 2]
    );
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

fn ndcg(list: &Ranked) -> f64 {
    let gain = |rel: &[f64]| {
        rel.iter()
            .take(10)
            .enumerate()
            .map(|(i, rel)| (rel.exp2() - 1.0) / ((i + 2) as f64).log2())
            .sum::<f64>()
    };
    let ours: Vec<f64> = order(&list.scores)
        .into_iter()
        .map(|i| list.relevant[i])
        .collect();
    let mut ideal = list.relevant.clone();
    ideal.sort_by(|a, b| b.total_cmp(a));
    gain(&ours) / gain(&ideal)
}

fn recall_at_half(list: &Ranked) -> f64 {
    let relevant = |rel: &f64| *rel > 0.0;
    let half = &order(&list.scores)[..list.scores.len() / 2];
    let found = half
        .iter()
        .filter(|&&i| relevant(&list.relevant[i]))
        .count();
    found as f64 / list.relevant.iter().filter(|rel| relevant(rel)).count() as f64
}

/// BM25 with k1 1.2 and b 0.75 on plain words; Han by pairs of characters.
fn bm25(question: &str, chunks: &[&str]) -> Vec<f64> {
    let (k1, b) = (1.2, 0.75);
    let chunks: Vec<Vec<String>> = chunks.iter().map(|text| plain_words(text)).collect();
    let n = chunks.len() as f64;
    let mean = chunks.iter().map(Vec::len).sum::<usize>() as f64 / n;
    let mut scores = vec![0.0; chunks.len()];
    let mut asked = plain_words(question);
    asked.sort();
    asked.dedup();
    let counts: Vec<HashMap<&str, f64>> = chunks
        .iter()
        .map(|words| {
            words.iter().fold(HashMap::new(), |mut counts, word| {
                *counts.entry(word.as_str()).or_default() += 1.0;
                counts
            })
        })
        .collect();
    for word in &asked {
        let with = counts
            .iter()
            .filter(|counts| counts.contains_key(word.as_str()))
            .count() as f64;
        let weight = (1.0 + (n - with + 0.5) / (with + 0.5)).ln();
        for ((score, counts), words) in scores.iter_mut().zip(&counts).zip(&chunks) {
            let times = counts.get(word.as_str()).copied().unwrap_or(0.0);
            *score += weight * times * (k1 + 1.0)
                / (times + k1 * (1.0 - b + b * words.len() as f64 / mean));
        }
    }
    scores
}

fn plain_words(text: &str) -> Vec<String> {
    let is_han = |c: char| ('\u{3400}'..='\u{9fff}').contains(&c);
    let mut found = Vec::new();
    for word in text
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
    {
        let chars: Vec<char> = word.chars().collect();
        for piece in chars.chunk_by(|a, b| is_han(*a) == is_han(*b)) {
            if is_han(piece[0]) && piece.len() > 1 {
                found.extend(piece.windows(2).map(|pair| pair.iter().collect::<String>()));
            } else {
                found.push(piece.iter().collect());
            }
        }
    }
    found
}
