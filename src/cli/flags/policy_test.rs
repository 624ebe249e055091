//! The flags of `deadhead test`.

use super::*;

// What can be asked of `deadhead test`.
#[derive(Args)]
pub struct TestArgs {
    /// File of tests (JSON5): `{tests: [{name: 'small', maxTokens: 50000}]}`
    #[arg(value_name = "TESTS")]
    pub tests: PathBuf,

    /// Logs and request bodies to prune; in directories, *.jsonl
    #[arg(value_name = "LOG", required = true)]
    pub logs: Vec<PathBuf>,

    /// Format of the report
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Report"
    )]
    pub report_format: TestFormat,

    /// Format of the inputs instead of detecting it; `deadhead prune --format help` lists all
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,

    /// Treat the provider's cache as expired
    #[arg(long, help_heading = "Clock")]
    pub assume_cold: bool,

    /// Current time: RFC 3339, or seconds or milliseconds since 1970 [default: the system's clock]
    #[arg(long, value_name = "TIME", help_heading = "Clock")]
    pub now: Option<String>,

    #[command(flatten)]
    pub policy: PolicyArgs,
}

/// Formats of the report of `deadhead test`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// A line for each test and input
    Text,
    /// One object
    Json,
    /// JUnit XML, for CI
    Junit,
}
