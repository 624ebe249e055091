
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
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Prune histories and request bodies; without FILE, or with -, read stdin')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Report what a provider would refuse; --repair writes a repaired copy')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'What a policy would have saved over recorded sessions, in tokens and money')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show, write and describe the configuration')
            [CompletionResult]::new('state', 'state', [CompletionResultType]::ParameterValue, 'Look at a state file, forget sessions, give room back')
            [CompletionResult]::new('canary', 'canary', [CompletionResultType]::ParameterValue, 'The quality gate of a workload: scores, where it stands, back into service')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the man pages, or write them into a directory')
            break
        }
        'deadhead;prune' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write here instead of to stdout (one input)')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write here instead of to stdout (one input)')
            [CompletionResult]::new('--out-dir', '--out-dir', [CompletionResultType]::ParameterName, 'Write each input into this directory')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the report to this file (- is stdout, with -o, --out-dir or -n)')
            [CompletionResult]::new('--report-format', '--report-format', [CompletionResultType]::ParameterName, 'How the report is written')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the input, else told by its content; `help` lists them')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'What counts: the context that would be sent next, or all lines')
            [CompletionResult]::new('--max-input', '--max-input', [CompletionResultType]::ParameterName, 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Take this away, with all that depends on it; may be given several times')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the report')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Start from a named policy; `deadhead config presets` lists them')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Settings of a workload that the configuration has under `workloads`')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5; also an OpenClaw configuration as it stands')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5; also an OpenClaw configuration as it stands')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Set any configuration key; VALUE is JSON5, a bare word a string')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'Age of the last call from which the cache counts as expired (5m, 1h30m)')
            [CompletionResult]::new('--pass', '--pass', [CompletionResultType]::ParameterName, 'Turn passes on, by name and separated by commas; `help` lists them')
            [CompletionResult]::new('--no-pass', '--no-pass', [CompletionResultType]::ParameterName, 'Turn passes off')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model the request will run on; else the input''s own')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else the input''s own')
            [CompletionResult]::new('--context-window', '--context-window', [CompletionResultType]::ParameterName, 'Context window in tokens; else that of the model, else 200000')
            [CompletionResult]::new('--auth', '--auth', [CompletionResultType]::ParameterName, 'How Anthropic is paid; sets the defaults that go with it')
            [CompletionResult]::new('--compose', '--compose', [CompletionResultType]::ParameterName, 'Mechanics that the caller has beside this one: auto-route, compress, structured-output')
            [CompletionResult]::new('--already-mutated', '--already-mutated', [CompletionResultType]::ParameterName, 'A mechanic that has changed the request''s content already: turn-drop and rag-rerank rest')
            [CompletionResult]::new('--emit-header', '--emit-header', [CompletionResultType]::ParameterName, 'Write the header that tells what turn-drop and rag-rerank removed to this file, a line for each request')
            [CompletionResult]::new('--header-name', '--header-name', [CompletionResultType]::ParameterName, 'Name of that header')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Append a line of JSON to this file for each request that was cut')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time that counts as now: RFC 3339, or seconds or milliseconds since 1970')
            [CompletionResult]::new('--last-call', '--last-call', [CompletionResultType]::ParameterName, 'When the last call was: a time, or an age such as 59m')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Keep the clock of each session, and its cuts, in this file between runs')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'Name of the session; else told by the input')
            [CompletionResult]::new('--stack', '--stack', [CompletionResultType]::ParameterName, 'The stack that the workload runs on, where canaries are kept for several')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to use; 0 is one for each core')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Threads to use; 0 is one for each core')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show a progress bar on stderr when the work lasts')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text report')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Write no pruned JSON; the report goes to stdout')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Write no pruned JSON; the report goes to stdout')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No report and no warnings on stderr; errors are still told')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No report and no warnings on stderr; errors are still told')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'List every cut in the text report')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'List every cut in the text report')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 1 if something was, or would be, cut')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Walk directories for *.jsonl, but not for trajectories and checkpoints')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Walk directories for *.jsonl, but not for trajectories and checkpoints')
            [CompletionResult]::new('--strict-input', '--strict-input', [CompletionResultType]::ParameterName, 'Refuse a log of which a part is missing')
            [CompletionResult]::new('--log-copies', '--log-copies', [CompletionResultType]::ParameterName, 'Cut what a log repeats of the results for the screen as well: saves bytes, no tokens')
            [CompletionResult]::new('--lenient', '--lenient', [CompletionResultType]::ParameterName, 'Go on without selectors that name nothing, and leave what must stay')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Take what is protected, too')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List what can be selected, and prune nothing')
            [CompletionResult]::new('--assume-cold', '--assume-cold', [CompletionResultType]::ParameterName, 'Take the provider''s cache as expired')
            [CompletionResult]::new('--state-optional', '--state-optional', [CompletionResultType]::ParameterName, 'Pass inputs through unpruned where the state file cannot be used, instead of failing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;check' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the repaired copy here instead of to stdout (one input)')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the repaired copy here instead of to stdout (one input)')
            [CompletionResult]::new('--out-dir', '--out-dir', [CompletionResultType]::ParameterName, 'Write each repaired copy into this directory, in the place that `deadhead prune --out-dir` gives it')
            [CompletionResult]::new('--report-format', '--report-format', [CompletionResultType]::ParameterName, 'How defects are listed')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model the request will run on; else the input''s own')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else what the input''s format and model say')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the input, else told by its content; `help` lists them')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'What counts: the context that would be sent next, or all lines')
            [CompletionResult]::new('--max-input', '--max-input', [CompletionResultType]::ParameterName, 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)')
            [CompletionResult]::new('--repair', '--repair', [CompletionResultType]::ParameterName, 'Write a repaired copy to stdout; what is found goes to stderr')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing; the exit code says it')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing; the exit code says it')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Walk directories for *.jsonl')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Walk directories for *.jsonl')
            [CompletionResult]::new('--strict-input', '--strict-input', [CompletionResultType]::ParameterName, 'Refuse a log of which a part is missing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;replay' {
            [CompletionResult]::new('--sweep', '--sweep', [CompletionResultType]::ParameterName, 'Try each value of a key, every way with the others (KEY=VALUE,VALUE)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Count only requests from this day or time on')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Count only requests before this day or time')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the logs, else told by their content; `help` lists them')
            [CompletionResult]::new('--max-input', '--max-input', [CompletionResultType]::ParameterName, 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to this file instead of to stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to this file instead of to stdout')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write the report to this file instead of to stdout')
            [CompletionResult]::new('--report-format', '--report-format', [CompletionResultType]::ParameterName, 'How the report is written')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Start from a named policy; `deadhead config presets` lists them')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Settings of a workload that the configuration has under `workloads`')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5; also an OpenClaw configuration as it stands')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5; also an OpenClaw configuration as it stands')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Set any configuration key; VALUE is JSON5, a bare word a string')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'Age of the last call from which the cache counts as expired (5m, 1h30m)')
            [CompletionResult]::new('--pass', '--pass', [CompletionResultType]::ParameterName, 'Turn passes on, by name and separated by commas; `help` lists them')
            [CompletionResult]::new('--no-pass', '--no-pass', [CompletionResultType]::ParameterName, 'Turn passes off')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model the request will run on; else the input''s own')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else the input''s own')
            [CompletionResult]::new('--context-window', '--context-window', [CompletionResultType]::ParameterName, 'Context window in tokens; else that of the model, else 200000')
            [CompletionResult]::new('--auth', '--auth', [CompletionResultType]::ParameterName, 'How Anthropic is paid; sets the defaults that go with it')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to use; 0 is one for each core')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Threads to use; 0 is one for each core')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show a progress bar on stderr when the work lasts')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text report')
            [CompletionResult]::new('--strict-input', '--strict-input', [CompletionResultType]::ParameterName, 'Refuse a log of which a part is missing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'List all settings of a grid, all days, models and projects')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'List all settings of a grid, all days, models and projects')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;config' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print each value and where it comes from')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Print a configuration file to start from')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print JSON Schemas of the configuration, the report and the replay')
            [CompletionResult]::new('presets', 'presets', [CompletionResultType]::ParameterValue, 'List the named policies')
            break
        }
        'deadhead;config;show' {
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Start from a named policy; `deadhead config presets` lists them')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Settings of a workload that the configuration has under `workloads`')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5; also an OpenClaw configuration as it stands')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5; also an OpenClaw configuration as it stands')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Set any configuration key; VALUE is JSON5, a bare word a string')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'Age of the last call from which the cache counts as expired (5m, 1h30m)')
            [CompletionResult]::new('--pass', '--pass', [CompletionResultType]::ParameterName, 'Turn passes on, by name and separated by commas; `help` lists them')
            [CompletionResult]::new('--no-pass', '--no-pass', [CompletionResultType]::ParameterName, 'Turn passes off')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Model the request will run on; else the input''s own')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Provider of that model; else the input''s own')
            [CompletionResult]::new('--context-window', '--context-window', [CompletionResultType]::ParameterName, 'Context window in tokens; else that of the model, else 200000')
            [CompletionResult]::new('--auth', '--auth', [CompletionResultType]::ParameterName, 'How Anthropic is paid; sets the defaults that go with it')
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
        'deadhead;state' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'List the sessions of a state file, or the cuts of one')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Forget sessions: their clocks and their cuts')
            [CompletionResult]::new('vacuum', 'vacuum', [CompletionResultType]::ParameterValue, 'Give the room of what was forgotten back to the disk')
            break
        }
        'deadhead;state;show' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;state;forget' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'All whose last call is longer ago than this (30d)')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time that counts as now')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All')
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
        'deadhead;canary' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Store a score, or a file of them')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Where a workload stands: exit code 1 when it is retired, or would be')
            [CompletionResult]::new('reset', 'reset', [CompletionResultType]::ParameterValue, 'Take a workload back into service: only newer scores count from now on')
            break
        }
        'deadhead;canary;record' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Workload of the configuration')
            [CompletionResult]::new('--stack', '--stack', [CompletionResultType]::ParameterName, 'Stack, where there are several')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--score', '--score', [CompletionResultType]::ParameterName, 'The score; higher is better')
            [CompletionResult]::new('--arm', '--arm', [CompletionResultType]::ParameterName, 'Whether it is of an answer to a pruned request, or of one left alone')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time that counts as now')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'deadhead;canary;status' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Workload of the configuration')
            [CompletionResult]::new('--stack', '--stack', [CompletionResultType]::ParameterName, 'Stack, where there are several')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON, with all that happened to the workload')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'deadhead;canary;reset' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State file')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Workload of the configuration')
            [CompletionResult]::new('--stack', '--stack', [CompletionResultType]::ParameterName, 'Stack, where there are several')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file, JSON5')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time that counts as now')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
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
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
