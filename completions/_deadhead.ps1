
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'deadhead' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'deadhead'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'deadhead' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Cut old tool output from session logs and request bodies (without FILE: stdin)')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Report what a provider would refuse; --repair writes a repaired copy')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Compute what a policy would have saved over recorded sessions, in tokens and money')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Say which policy would have saved most on your own logs, and how sure that is')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show, write and describe the configuration')
            [CompletionResult]::new('state', 'state', [CompletionResultType]::ParameterValue, 'List or forget the sessions of a state file; list the requests of a workload')
            [CompletionResult]::new('canary', 'canary', [CompletionResultType]::ParameterValue, 'Quality gate of a workload: store scores, print the state, reset')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the man pages, or write them into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'deadhead;prune' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout (one input)')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout (one input)')
            [CompletionResult]::new('--out-dir', '--out-dir', [CompletionResultType]::ParameterName, 'Write each pruned input into this directory')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the report to this file (- is stdout; needs -o, --out-dir or -n)')
            [CompletionResult]::new('--report-format', '--report-format', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the input instead of detecting it; `--format help` lists all')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read the names of further inputs from this file, one in a line (- is stdin)')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Messages to count and prune: the context that would be sent next, or the whole file')
            [CompletionResult]::new('--max-input', '--max-input', [CompletionResultType]::ParameterName, 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Remove this part with everything that depends on it; may be repeated')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Reason for the selection, for the report')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Named policy; `deadhead config presets` lists all')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Apply the settings that the configuration has for this workload')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file (JSON5); also an OpenClaw configuration')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file (JSON5); also an OpenClaw configuration')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Set any configuration key; VALUE is JSON5, a bare word is a string')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'Lifetime of the provider''s cache (1h30m); default auto')
            [CompletionResult]::new('--pass', '--pass', [CompletionResultType]::ParameterName, 'Turn passes on, separated by commas; `--pass help` lists all')
            [CompletionResult]::new('--no-pass', '--no-pass', [CompletionResultType]::ParameterName, 'Turn passes off')
            [CompletionResult]::new('--only-if', '--only-if', [CompletionResultType]::ParameterName, 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks')
            [CompletionResult]::new('--expect-requests', '--expect-requests', [CompletionResultType]::ParameterName, 'Number of further requests to expect; else as many as there were so far, 5 to 80')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'Handling of thinking behind a cut, which Claude 5.1 and later refuse')
            [CompletionResult]::new('--context-management', '--context-management', [CompletionResultType]::ParameterName, 'Handling of the edits that a body asks its server for in context_management')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model that the request is for; else the one that the input names')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else the one that the input names')
            [CompletionResult]::new('--context-window', '--context-window', [CompletionResultType]::ParameterName, 'Context window in tokens; else the model''s, else 200000')
            [CompletionResult]::new('--auth', '--auth', [CompletionResultType]::ParameterName, 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults')
            [CompletionResult]::new('--compose', '--compose', [CompletionResultType]::ParameterName, 'Other tools of the caller that change a request: auto-route, compress, structured-output')
            [CompletionResult]::new('--already-mutated', '--already-mutated', [CompletionResultType]::ParameterName, 'Another tool has already changed the request: skip turn-drop and rag-rerank')
            [CompletionResult]::new('--emit-header', '--emit-header', [CompletionResultType]::ParameterName, 'Write an HTTP header with what turn-drop and rag-rerank removed to this file, one line per request')
            [CompletionResult]::new('--emit-response-fields', '--emit-response-fields', [CompletionResultType]::ParameterName, 'Write what the server would have answered about edits that were applied here to this file, one line of JSON per request')
            [CompletionResult]::new('--header-name', '--header-name', [CompletionResultType]::ParameterName, 'Name of the header that --emit-header writes')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Append one line of JSON to this file for each request that was cut')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Current time: RFC 3339, or seconds or milliseconds since 1970 [default: the system''s clock]')
            [CompletionResult]::new('--last-call', '--last-call', [CompletionResultType]::ParameterName, 'Time or age of the last call (59m); else the input''s or the state file''s')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Keep the cuts of each session in this file, and make them again')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'Name of the session; else it is taken from the input')
            [CompletionResult]::new('--stack', '--stack', [CompletionResultType]::ParameterName, 'Deployment of the workload (any name), if the quality gate keeps scores of several')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads; 0 is one for each core')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Number of threads; 0 is one for each core')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show a progress bar on stderr during long runs')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text report')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Write no pruned JSON; print the report to stdout')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Write no pruned JSON; print the report to stdout')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no report and no warnings; errors are still printed')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no report and no warnings; errors are still printed')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'List every cut in the text report')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'List every cut in the text report')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with code 1 if something was cut, or would be')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Search directories for *.jsonl, without trajectories and checkpoints')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Search directories for *.jsonl, without trajectories and checkpoints')
            [CompletionResult]::new('--strict-input', '--strict-input', [CompletionResultType]::ParameterName, 'Refuse a log of which a part is missing')
            [CompletionResult]::new('--log-copies', '--log-copies', [CompletionResultType]::ParameterName, 'Cut a log''s copies of results for the screen as well: saves bytes, no tokens')
            [CompletionResult]::new('--lenient', '--lenient', [CompletionResultType]::ParameterName, 'Skip selectors that match nothing or match protected content')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Remove protected content too (--select); process unchanged inputs again (--out-dir)')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the parts that can be selected, and prune nothing')
            [CompletionResult]::new('--assume-cold', '--assume-cold', [CompletionResultType]::ParameterName, 'Treat the provider''s cache as expired')
            [CompletionResult]::new('--state-optional', '--state-optional', [CompletionResultType]::ParameterName, 'If the state file cannot be used, pass inputs through unpruned instead of failing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;check' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the repaired copy to this file instead of stdout (one input)')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the repaired copy to this file instead of stdout (one input)')
            [CompletionResult]::new('--out-dir', '--out-dir', [CompletionResultType]::ParameterName, 'Write each repaired copy into this directory, with the path that `deadhead prune --out-dir` gives it')
            [CompletionResult]::new('--report-format', '--report-format', [CompletionResultType]::ParameterName, 'Format of the list of defects')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model that the request is for; else the one that the input names')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else it follows from the format and the model')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the input instead of detecting it; `--format help` lists all')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Messages to check: the context that would be sent next, or the whole file')
            [CompletionResult]::new('--max-input', '--max-input', [CompletionResultType]::ParameterName, 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)')
            [CompletionResult]::new('--repair', '--repair', [CompletionResultType]::ParameterName, 'Write a repaired copy to stdout; defects are listed on stderr')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing; only the exit code says whether there are defects')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing; only the exit code says whether there are defects')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Search directories for *.jsonl')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Search directories for *.jsonl')
            [CompletionResult]::new('--strict-input', '--strict-input', [CompletionResultType]::ParameterName, 'Refuse a log of which a part is missing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;replay' {
            [CompletionResult]::new('--sweep', '--sweep', [CompletionResultType]::ParameterName, 'Try each value of a key, in every combination (KEY=VALUE,VALUE)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Count only requests from this day or time on')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Count only requests before this day or time')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the logs instead of detecting it; `--format help` lists all')
            [CompletionResult]::new('--max-input', '--max-input', [CompletionResultType]::ParameterName, 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to this file instead of stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to this file instead of stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the report to this file instead of stdout')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Named policy; `deadhead config presets` lists all')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Apply the settings that the configuration has for this workload')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file (JSON5); also an OpenClaw configuration')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file (JSON5); also an OpenClaw configuration')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Set any configuration key; VALUE is JSON5, a bare word is a string')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'Lifetime of the provider''s cache (1h30m); default auto')
            [CompletionResult]::new('--pass', '--pass', [CompletionResultType]::ParameterName, 'Turn passes on, separated by commas; `--pass help` lists all')
            [CompletionResult]::new('--no-pass', '--no-pass', [CompletionResultType]::ParameterName, 'Turn passes off')
            [CompletionResult]::new('--only-if', '--only-if', [CompletionResultType]::ParameterName, 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks')
            [CompletionResult]::new('--expect-requests', '--expect-requests', [CompletionResultType]::ParameterName, 'Number of further requests to expect; else as many as there were so far, 5 to 80')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'Handling of thinking behind a cut, which Claude 5.1 and later refuse')
            [CompletionResult]::new('--context-management', '--context-management', [CompletionResultType]::ParameterName, 'Handling of the edits that a body asks its server for in context_management')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model that the request is for; else the one that the input names')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else the one that the input names')
            [CompletionResult]::new('--context-window', '--context-window', [CompletionResultType]::ParameterName, 'Context window in tokens; else the model''s, else 200000')
            [CompletionResult]::new('--auth', '--auth', [CompletionResultType]::ParameterName, 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads; 0 is one for each core')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Number of threads; 0 is one for each core')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show a progress bar on stderr during long runs')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text report')
            [CompletionResult]::new('--report-format', '--report-format', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('--strict-input', '--strict-input', [CompletionResultType]::ParameterName, 'Refuse a log of which a part is missing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'List all settings of a --sweep, all days, models and projects')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'List all settings of a --sweep, all days, models and projects')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;advise' {
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Write the configuration of the best policy to this file, with the figures in its comment')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Count only requests from this day or time on')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Count only requests before this day or time')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the logs instead of detecting it; `--format help` lists all')
            [CompletionResult]::new('--max-input', '--max-input', [CompletionResultType]::ParameterName, 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to this file instead of stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to this file instead of stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the report to this file instead of stdout')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Named policy; `deadhead config presets` lists all')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Apply the settings that the configuration has for this workload')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file (JSON5); also an OpenClaw configuration')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file (JSON5); also an OpenClaw configuration')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Set any configuration key; VALUE is JSON5, a bare word is a string')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'Lifetime of the provider''s cache (1h30m); default auto')
            [CompletionResult]::new('--pass', '--pass', [CompletionResultType]::ParameterName, 'Turn passes on, separated by commas; `--pass help` lists all')
            [CompletionResult]::new('--no-pass', '--no-pass', [CompletionResultType]::ParameterName, 'Turn passes off')
            [CompletionResult]::new('--only-if', '--only-if', [CompletionResultType]::ParameterName, 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks')
            [CompletionResult]::new('--expect-requests', '--expect-requests', [CompletionResultType]::ParameterName, 'Number of further requests to expect; else as many as there were so far, 5 to 80')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'Handling of thinking behind a cut, which Claude 5.1 and later refuse')
            [CompletionResult]::new('--context-management', '--context-management', [CompletionResultType]::ParameterName, 'Handling of the edits that a body asks its server for in context_management')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model that the request is for; else the one that the input names')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else the one that the input names')
            [CompletionResult]::new('--context-window', '--context-window', [CompletionResultType]::ParameterName, 'Context window in tokens; else the model''s, else 200000')
            [CompletionResult]::new('--auth', '--auth', [CompletionResultType]::ParameterName, 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads; 0 is one for each core')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Number of threads; 0 is one for each core')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show a progress bar on stderr during long runs')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text report')
            [CompletionResult]::new('--report-format', '--report-format', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Let --write replace a file that is there already')
            [CompletionResult]::new('--strict-input', '--strict-input', [CompletionResultType]::ParameterName, 'Refuse a log of which a part is missing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'List all policies that were tried')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'List all policies that were tried')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;config' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print each value and the layer that it comes from')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Print a configuration file with every key at its default')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print JSON Schemas of the configuration, the report, the replay and the advice')
            [CompletionResult]::new('presets', 'presets', [CompletionResultType]::ParameterValue, 'List the named policies')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'deadhead;config;show' {
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Named policy; `deadhead config presets` lists all')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Apply the settings that the configuration has for this workload')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file (JSON5); also an OpenClaw configuration')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file (JSON5); also an OpenClaw configuration')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Set any configuration key; VALUE is JSON5, a bare word is a string')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'Lifetime of the provider''s cache (1h30m); default auto')
            [CompletionResult]::new('--pass', '--pass', [CompletionResultType]::ParameterName, 'Turn passes on, separated by commas; `--pass help` lists all')
            [CompletionResult]::new('--no-pass', '--no-pass', [CompletionResultType]::ParameterName, 'Turn passes off')
            [CompletionResult]::new('--only-if', '--only-if', [CompletionResultType]::ParameterName, 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks')
            [CompletionResult]::new('--expect-requests', '--expect-requests', [CompletionResultType]::ParameterName, 'Number of further requests to expect; else as many as there were so far, 5 to 80')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'Handling of thinking behind a cut, which Claude 5.1 and later refuse')
            [CompletionResult]::new('--context-management', '--context-management', [CompletionResultType]::ParameterName, 'Handling of the edits that a body asks its server for in context_management')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model that the request is for; else the one that the input names')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else the one that the input names')
            [CompletionResult]::new('--context-window', '--context-window', [CompletionResultType]::ParameterName, 'Context window in tokens; else the model''s, else 200000')
            [CompletionResult]::new('--auth', '--auth', [CompletionResultType]::ParameterName, 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;config;init' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;config;schema' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;config;presets' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;config;help' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print each value and the layer that it comes from')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Print a configuration file with every key at its default')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print JSON Schemas of the configuration, the report, the replay and the advice')
            [CompletionResult]::new('presets', 'presets', [CompletionResultType]::ParameterValue, 'List the named policies')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'deadhead;config;help;show' {
            break
        }
        'deadhead;config;help;init' {
            break
        }
        'deadhead;config;help;schema' {
            break
        }
        'deadhead;config;help;presets' {
            break
        }
        'deadhead;config;help;help' {
            break
        }
        'deadhead;state' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'List the sessions of a state file, or the cuts of one session')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'List what was done to the requests of a workload')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Forget sessions with their cuts, times and requests')
            [CompletionResult]::new('vacuum', 'vacuum', [CompletionResultType]::ParameterValue, 'Return the space of forgotten sessions to the disk')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'deadhead;state;show' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;state;audit' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Workload whose requests are listed')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'List the requests since this time or age (2026-01-31T12:00:00Z, 7d); else all')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the list')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Current time, for an age [default: the system''s clock]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;state;forget' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Forget all sessions whose last call is longer ago than this (30d)')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Current time [default: the system''s clock]')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Forget all sessions')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;state;vacuum' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;state;help' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'List the sessions of a state file, or the cuts of one session')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'List what was done to the requests of a workload')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Forget sessions with their cuts, times and requests')
            [CompletionResult]::new('vacuum', 'vacuum', [CompletionResultType]::ParameterValue, 'Return the space of forgotten sessions to the disk')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'deadhead;state;help;show' {
            break
        }
        'deadhead;state;help;audit' {
            break
        }
        'deadhead;state;help;forget' {
            break
        }
        'deadhead;state;help;vacuum' {
            break
        }
        'deadhead;state;help;help' {
            break
        }
        'deadhead;canary' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Store a score, or a file of scores')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Print the state of a workload; exit code 1 if it is breached')
            [CompletionResult]::new('reset', 'reset', [CompletionResultType]::ParameterValue, 'Prune a breached workload again; only newer scores count from now on')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'deadhead;canary;record' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Workload in the configuration')
            [CompletionResult]::new('--stack', '--stack', [CompletionResultType]::ParameterName, 'Deployment of the workload (any name), if scores of several are kept')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--score', '--score', [CompletionResultType]::ParameterName, 'Score of an answer; higher is better')
            [CompletionResult]::new('--arm', '--arm', [CompletionResultType]::ParameterName, 'Whether the request was pruned, or left unpruned for comparison')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Current time [default: the system''s clock]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;canary;status' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Workload in the configuration')
            [CompletionResult]::new('--stack', '--stack', [CompletionResultType]::ParameterName, 'Deployment of the workload (any name), if scores of several are kept')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON, with the history of the workload')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;canary;reset' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Workload in the configuration')
            [CompletionResult]::new('--stack', '--stack', [CompletionResultType]::ParameterName, 'Deployment of the workload (any name), if scores of several are kept')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Reason, kept with the history')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Current time [default: the system''s clock]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;canary;help' {
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Store a score, or a file of scores')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Print the state of a workload; exit code 1 if it is breached')
            [CompletionResult]::new('reset', 'reset', [CompletionResultType]::ParameterValue, 'Prune a breached workload again; only newer scores count from now on')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'deadhead;canary;help;record' {
            break
        }
        'deadhead;canary;help;status' {
            break
        }
        'deadhead;canary;help;reset' {
            break
        }
        'deadhead;canary;help;help' {
            break
        }
        'deadhead;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;help' {
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Cut old tool output from session logs and request bodies (without FILE: stdin)')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Report what a provider would refuse; --repair writes a repaired copy')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Compute what a policy would have saved over recorded sessions, in tokens and money')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Say which policy would have saved most on your own logs, and how sure that is')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show, write and describe the configuration')
            [CompletionResult]::new('state', 'state', [CompletionResultType]::ParameterValue, 'List or forget the sessions of a state file; list the requests of a workload')
            [CompletionResult]::new('canary', 'canary', [CompletionResultType]::ParameterValue, 'Quality gate of a workload: store scores, print the state, reset')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the man pages, or write them into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'deadhead;help;prune' {
            break
        }
        'deadhead;help;check' {
            break
        }
        'deadhead;help;replay' {
            break
        }
        'deadhead;help;advise' {
            break
        }
        'deadhead;help;config' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print each value and the layer that it comes from')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Print a configuration file with every key at its default')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print JSON Schemas of the configuration, the report, the replay and the advice')
            [CompletionResult]::new('presets', 'presets', [CompletionResultType]::ParameterValue, 'List the named policies')
            break
        }
        'deadhead;help;config;show' {
            break
        }
        'deadhead;help;config;init' {
            break
        }
        'deadhead;help;config;schema' {
            break
        }
        'deadhead;help;config;presets' {
            break
        }
        'deadhead;help;state' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'List the sessions of a state file, or the cuts of one session')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'List what was done to the requests of a workload')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Forget sessions with their cuts, times and requests')
            [CompletionResult]::new('vacuum', 'vacuum', [CompletionResultType]::ParameterValue, 'Return the space of forgotten sessions to the disk')
            break
        }
        'deadhead;help;state;show' {
            break
        }
        'deadhead;help;state;audit' {
            break
        }
        'deadhead;help;state;forget' {
            break
        }
        'deadhead;help;state;vacuum' {
            break
        }
        'deadhead;help;canary' {
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Store a score, or a file of scores')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Print the state of a workload; exit code 1 if it is breached')
            [CompletionResult]::new('reset', 'reset', [CompletionResultType]::ParameterValue, 'Prune a breached workload again; only newer scores count from now on')
            break
        }
        'deadhead;help;canary;record' {
            break
        }
        'deadhead;help;canary;status' {
            break
        }
        'deadhead;help;canary;reset' {
            break
        }
        'deadhead;help;completions' {
            break
        }
        'deadhead;help;man' {
            break
        }
        'deadhead;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
