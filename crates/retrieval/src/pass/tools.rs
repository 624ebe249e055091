//! Recognizes search tools: by their names, or by a call with a query in words.
//!
//! The rows that a tool returns that lists, reads or runs something are never treated as retrieved
//! chunks.

use crate::{chunks::has, score::spellings};
use deadhead_core::{
    Result,
    internal::{edit::View, resource, transcript::BlockKind},
};

/// The tool of a result.
pub struct Tool {
    /// Whether it searches.
    pub searches: bool,
    /// Whether its name says that it lists, reads or runs something.
    pub reads: bool,
    /// The query that it received in words.
    pub query: String,
}

/// Words in the names of tools that search.
const SEARCHES: &str = include_str!("../words/searches.txt");
/// Words in the names of tools that know something.
const KNOWS: &str = "knowledge knowledgebase kb wiki faq docs documents documentation information passages chunks memory memories context sources";
/// Words in the names of tools that list, read, write or run.
const READS: &str = include_str!("../words/reads.txt");
/// Arguments that say what is searched for.
const QUERIES: &str = "q query queries question questions search search_query searchquery search_term search_terms searchterm keyword \
 keywords topic";

/// The tool that the result at `block` is of.
///
/// # Errors
/// The input cannot be read any more.
pub fn of(view: &View<'_>, block: u32) -> Result<Tool> {
    let blocks = &view.transcript.blocks;
    let name = view.transcript.tool_of(&blocks[block as usize]);
    let mut queries = Vec::new();
    for &call in view.paired_with(block) {
        let (message, _) = view.part(call);
        let is_call = blocks[call as usize].kind == BlockKind::Call;
        let read = resource::read(view, message as usize, call)?;
        if let Some(arguments) = read.filter(|_| is_call) {
            let values = arguments.values.iter();
            let asked = values.filter(|(name, _)| has(QUERIES, &name.to_lowercase()));
            let texts = asked.flat_map(|(_, value)| value.texts());
            queries.extend(texts.filter(|query| is_spoken(query)));
        }
    }
    Ok(tool(name, queries.join("\n")))
}

/// The tool of that name that was asked for `query` in words.
fn tool(name: &str, query: String) -> Tool {
    let parts = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = parts.flat_map(spellings).collect();
    let named = |list: &str| words.iter().any(|word| has(list, word));
    let asked = !query.trim().is_empty();
    let reads = named(READS);
    let knows = named(KNOWS);
    Tool {
        searches: named(SEARCHES) || knows && asked || !reads && (knows || asked),
        reads,
        query,
    }
}

/// Whether a query is words, and no statement or pattern.
fn is_spoken(query: &str) -> bool {
    !query.contains(['{', '\\', '|', '^', '$', '<', '>', '*', '='])
        && query.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_tools_are_recognised() {
        for (name, query, want) in [
            ("search", "", true),
            ("search_docs", "how to", true),
            ("searchDocs", "", true),
            ("tavily_search_results_json", "x y", true),
            ("mcp__exa__web_search_exa", "x y", true),
            ("retrieve", "", true),
            ("getInformation", "", false),
            ("getInformation", "who is it", true),
            ("knowledge_base", "", true),
            ("ask_handbook", "who is it", true),
            ("get_docs", "who is it", true),
            ("search_messages", "", true),
            ("todowrite", "", false),
            ("slack_thread", "", false),
            ("tail_log", "", false),
            ("list_migrations", "", false),
            ("list_issues", "label:bug", false),
            ("list_documents", "", false),
            ("run_sql", "SELECT * FROM a", false),
            ("query_database", "all orders", false),
            ("execute", "select a from b where c = 1", false),
            ("grep", "fn main", false),
            ("find_files", "", false),
            ("", "", false),
        ] {
            let query = if is_spoken(query) { query } else { "" };
            assert_eq!(tool(name, query.to_owned()).searches, want, "{name}");
        }
    }
}
