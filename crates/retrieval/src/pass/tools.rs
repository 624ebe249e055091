//! Recognizes search tools: by their names, or by a call with a query in words.
//!
//! The rows that a tool returns that lists, reads or runs something are never treated as retrieved chunks.

use crate::score::words::parts as split;
use deadhead_core::Error;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::pass::dependencies::Dependencies;
use deadhead_core::internal::resource;
use deadhead_core::internal::transcript::BlockKind;

/// The tool of a result.
pub(super) struct Tool {
    /// Whether it searches.
    pub searches: bool,
    /// Whether its name says that it lists, reads or runs something.
    pub reads: bool,
    /// The query that the search received, if it is in words.
    pub query: Option<String>,
}

/// The tools of a view.
pub(super) struct Tools<'a> {
    dependencies: Dependencies<'a>,
}

/// Words in the names of tools that search.
const SEARCHES: &str = "\
 search searches searching searcher retrieve retrieves retriever retrieval retrieving rag lookup semantic similar similarity vector \
 embeddings recall websearch tavily exa brave bing google serp serper serpapi duckduckgo ddg perplexity kagi searxng jina arxiv pubmed \
 wikipedia 搜索 检索 查询 بحث";
/// Words in the names of tools that know something.
const KNOWS: &str =
    "knowledge knowledgebase kb wiki faq docs documents documentation information passages chunks memory memories context sources";
/// Words in the names of tools that list, read, write or run.
const READS: &str = "\
 list ls tail head read cat load open view show write edit update create delete remove todo todos todowrite task tasks log logs history \
 thread threads message messages chat transcript conversation migration migrations schema sql db database table tables rows grep glob rg \
 ripgrep find test tests lint status diff commit commits calendar event events export dump schedule step steps plan cart order orders invoice \
 invoices run exec execute bash shell terminal command get fetch download subtitle subtitles review reviews feed inbox email emails mail issue \
 issues pull tickets notifications leaderboard scores";
/// Words in the names of tools whose question is a statement of a language for databases.
const DATABASES: &str =
    "sql db database graphql cypher sparql bigquery athena postgres postgresql mysql sqlite mongo mongodb redis promql logql kql jq xpath";
/// Arguments that say what is searched for.
const QUERIES: [&str; 14] = [
    "query",
    "q",
    "queries",
    "question",
    "questions",
    "search",
    "search_query",
    "searchquery",
    "search_term",
    "search_terms",
    "searchterm",
    "keywords",
    "keyword",
    "topic",
];

impl<'a> Tools<'a> {
    /// The tools of `view`.
    pub fn new(view: &'a View<'a>) -> Tools<'a> {
        Tools { dependencies: Dependencies::new(view) }
    }

    /// The tool that the result at `block` is of.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn of(&self, view: &View<'_>, block: u32) -> Result<Tool, Error> {
        let name = view.transcript.tool_of(&view.transcript.blocks[block as usize]);
        let mut query = Vec::new();
        for &call in self.dependencies.paired_with(block) {
            let (message, _) = self.dependencies.part(call);
            let is_call = view.transcript.blocks[call as usize].kind == BlockKind::Call;
            let Some(arguments) = resource::read(view, message as usize, call)?.filter(|_| is_call) else { continue };
            let asked = arguments.values.iter().filter(|(name, _)| QUERIES.contains(&&*name.to_lowercase()));
            query.extend(asked.flat_map(|(_, value)| value.texts()));
        }
        Ok(tool(name, query))
    }
}

/// The tool of that name that was asked for `query`.
fn tool(name: &str, query: Vec<String>) -> Tool {
    let words = parts(name);
    let has = |list: &str| words.iter().any(|word| list.split_whitespace().any(|known| known == word));
    let (database, reads) = (has(DATABASES), has(READS));
    let query: Vec<String> = query.into_iter().filter(|query| !database && is_spoken(query)).collect();
    let searches = !database && (has(SEARCHES) || !reads && (has(KNOWS) || !query.is_empty()) || reads && has(KNOWS) && !query.is_empty());
    let query = query.join("\n");
    Tool { searches, reads, query: Some(query).filter(|query| searches && !query.trim().is_empty()) }
}

/// The words of a name in lower case: parted at signs and at case.
fn parts(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        found.extend(split(word).into_iter().map(str::to_lowercase));
        found.push(word.to_lowercase());
    }
    found
}

/// Whether a query is words, and no statement or pattern.
fn is_spoken(query: &str) -> bool {
    let first = query.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let statement = ["select", "with", "match", "insert", "update", "delete", "from", "query", "mutation", "index", "source"]
        .contains(&&*first)
        && query.contains(['(', '{', '*', '=', '|']);
    let pattern = query.contains(['{', '\\', '|', '^', '$', '<', '>']);
    !statement && !pattern && query.chars().any(char::is_alphabetic)
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
            let query = Some(query.to_owned()).filter(|query| !query.is_empty()).into_iter().collect();
            assert_eq!(tool(name, query).searches, want, "{name}");
        }
    }
}
