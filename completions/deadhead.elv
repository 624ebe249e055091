
use builtin;
use str;

set edit:completion:arg-completer[deadhead] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'deadhead'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'deadhead'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand prune 'Cut old tool output from session logs and request bodies (without FILE: stdin)'
            cand check 'Report what a provider would refuse; --repair writes a repaired copy'
            cand replay 'Compute what a policy would have saved over recorded sessions, in tokens and money'
            cand advise 'Say which policy would have saved most on your own logs, and how sure that is'
            cand config 'Show, write and describe the configuration'
            cand state 'List or forget the sessions of a state file; list the requests of a workload'
            cand canary 'Quality gate of a workload: store scores, print the state, reset'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the man pages, or write them into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'deadhead;prune'= {
            cand -o 'Write to this file instead of stdout (one input)'
            cand --output 'Write to this file instead of stdout (one input)'
            cand --out-dir 'Write each pruned input into this directory'
            cand --report 'Write the report to this file (- is stdout; needs -o, --out-dir or -n)'
            cand --report-format 'Format of the report'
            cand --format 'Format of the input instead of detecting it; `--format help` lists all'
            cand --files-from 'Read the names of further inputs from this file, one in a line (- is stdin)'
            cand --scope 'Messages to count and prune: the context that would be sent next, or the whole file'
            cand --max-input 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)'
            cand --select 'Remove this part with everything that depends on it; may be repeated'
            cand --reason 'Reason for the selection, for the report'
            cand --preset 'Named policy; `deadhead config presets` lists all'
            cand --workload 'Apply the settings that the configuration has for this workload'
            cand -c 'Configuration file (JSON5); also an OpenClaw configuration'
            cand --config 'Configuration file (JSON5); also an OpenClaw configuration'
            cand --set 'Set any configuration key; VALUE is JSON5, a bare word is a string'
            cand --mode 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even'
            cand --ttl 'Lifetime of the provider''s cache (1h30m); default auto'
            cand --pass 'Turn passes on, separated by commas; `--pass help` lists all'
            cand --no-pass 'Turn passes off'
            cand --only-if 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks'
            cand --expect-requests 'Number of further requests to expect; else as many as there were so far, 5 to 80'
            cand --thinking 'Handling of thinking behind a cut, which Claude 5.1 and later refuse'
            cand --context-management 'Handling of the edits that a body asks its server for in context_management'
            cand --model 'Model that the request is for; else the one that the input names'
            cand --provider 'Provider of that model; else the one that the input names'
            cand --context-window 'Context window in tokens; else the model''s, else 200000'
            cand --auth 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults'
            cand --compose 'Other tools of the caller that change a request: auto-route, compress, structured-output'
            cand --already-mutated 'Another tool has already changed the request: skip turn-drop and rag-rerank'
            cand --emit-header 'Write an HTTP header with what turn-drop and rag-rerank removed to this file, one line per request'
            cand --emit-response-fields 'Write what the server would have answered about edits that were applied here to this file, one line of JSON per request'
            cand --header-name 'Name of the header that --emit-header writes'
            cand --log 'Append one line of JSON to this file for each request that was cut'
            cand --now 'Current time: RFC 3339, or seconds or milliseconds since 1970 [default: the system''s clock]'
            cand --last-call 'Time or age of the last call (59m); else the input''s or the state file''s'
            cand --state 'Keep the cuts of each session in this file, and make them again'
            cand --session 'Name of the session; else it is taken from the input'
            cand --stack 'Deployment of the workload (any name), if the quality gate keeps scores of several'
            cand -j 'Number of threads; 0 is one for each core'
            cand --jobs 'Number of threads; 0 is one for each core'
            cand --progress 'Show a progress bar on stderr during long runs'
            cand --color 'Colour the text report'
            cand -n 'Write no pruned JSON; print the report to stdout'
            cand --dry-run 'Write no pruned JSON; print the report to stdout'
            cand -q 'Print no report and no warnings; errors are still printed'
            cand --quiet 'Print no report and no warnings; errors are still printed'
            cand -v 'List every cut in the text report'
            cand --verbose 'List every cut in the text report'
            cand --exit-code 'Exit with code 1 if something was cut, or would be'
            cand -r 'Search directories for *.jsonl, without trajectories and checkpoints'
            cand --recursive 'Search directories for *.jsonl, without trajectories and checkpoints'
            cand --strict-input 'Refuse a log of which a part is missing'
            cand --log-copies 'Cut a log''s copies of results for the screen as well: saves bytes, no tokens'
            cand --lenient 'Skip selectors that match nothing or match protected content'
            cand --force 'Remove protected content too (--select); process unchanged inputs again (--out-dir)'
            cand --list 'List the parts that can be selected, and prune nothing'
            cand --assume-cold 'Treat the provider''s cache as expired'
            cand --state-optional 'If the state file cannot be used, pass inputs through unpruned instead of failing'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;check'= {
            cand -o 'Write the repaired copy to this file instead of stdout (one input)'
            cand --output 'Write the repaired copy to this file instead of stdout (one input)'
            cand --out-dir 'Write each repaired copy into this directory, with the path that `deadhead prune --out-dir` gives it'
            cand --report-format 'Format of the list of defects'
            cand --model 'Model that the request is for; else the one that the input names'
            cand --provider 'Provider of that model; else it follows from the format and the model'
            cand --format 'Format of the input instead of detecting it; `--format help` lists all'
            cand --scope 'Messages to check: the context that would be sent next, or the whole file'
            cand --max-input 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)'
            cand --repair 'Write a repaired copy to stdout; defects are listed on stderr'
            cand -q 'Print nothing; only the exit code says whether there are defects'
            cand --quiet 'Print nothing; only the exit code says whether there are defects'
            cand -r 'Search directories for *.jsonl'
            cand --recursive 'Search directories for *.jsonl'
            cand --strict-input 'Refuse a log of which a part is missing'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;replay'= {
            cand --sweep 'Try each value of a key, in every combination (KEY=VALUE,VALUE)'
            cand --since 'Count only requests from this day or time on'
            cand --until 'Count only requests before this day or time'
            cand --format 'Format of the logs instead of detecting it; `--format help` lists all'
            cand --max-input 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)'
            cand -o 'Write the report to this file instead of stdout'
            cand --output 'Write the report to this file instead of stdout'
            cand --report 'Write the report to this file instead of stdout'
            cand --preset 'Named policy; `deadhead config presets` lists all'
            cand --workload 'Apply the settings that the configuration has for this workload'
            cand -c 'Configuration file (JSON5); also an OpenClaw configuration'
            cand --config 'Configuration file (JSON5); also an OpenClaw configuration'
            cand --set 'Set any configuration key; VALUE is JSON5, a bare word is a string'
            cand --mode 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even'
            cand --ttl 'Lifetime of the provider''s cache (1h30m); default auto'
            cand --pass 'Turn passes on, separated by commas; `--pass help` lists all'
            cand --no-pass 'Turn passes off'
            cand --only-if 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks'
            cand --expect-requests 'Number of further requests to expect; else as many as there were so far, 5 to 80'
            cand --thinking 'Handling of thinking behind a cut, which Claude 5.1 and later refuse'
            cand --context-management 'Handling of the edits that a body asks its server for in context_management'
            cand --model 'Model that the request is for; else the one that the input names'
            cand --provider 'Provider of that model; else the one that the input names'
            cand --context-window 'Context window in tokens; else the model''s, else 200000'
            cand --auth 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults'
            cand -j 'Number of threads; 0 is one for each core'
            cand --jobs 'Number of threads; 0 is one for each core'
            cand --progress 'Show a progress bar on stderr during long runs'
            cand --color 'Colour the text report'
            cand --report-format 'Format of the report'
            cand --strict-input 'Refuse a log of which a part is missing'
            cand -v 'List all settings of a --sweep, all days, models and projects'
            cand --verbose 'List all settings of a --sweep, all days, models and projects'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;advise'= {
            cand --write 'Write the configuration of the best policy to this file, with the figures in its comment'
            cand --since 'Count only requests from this day or time on'
            cand --until 'Count only requests before this day or time'
            cand --format 'Format of the logs instead of detecting it; `--format help` lists all'
            cand --max-input 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)'
            cand -o 'Write the report to this file instead of stdout'
            cand --output 'Write the report to this file instead of stdout'
            cand --report 'Write the report to this file instead of stdout'
            cand --preset 'Named policy; `deadhead config presets` lists all'
            cand --workload 'Apply the settings that the configuration has for this workload'
            cand -c 'Configuration file (JSON5); also an OpenClaw configuration'
            cand --config 'Configuration file (JSON5); also an OpenClaw configuration'
            cand --set 'Set any configuration key; VALUE is JSON5, a bare word is a string'
            cand --mode 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even'
            cand --ttl 'Lifetime of the provider''s cache (1h30m); default auto'
            cand --pass 'Turn passes on, separated by commas; `--pass help` lists all'
            cand --no-pass 'Turn passes off'
            cand --only-if 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks'
            cand --expect-requests 'Number of further requests to expect; else as many as there were so far, 5 to 80'
            cand --thinking 'Handling of thinking behind a cut, which Claude 5.1 and later refuse'
            cand --context-management 'Handling of the edits that a body asks its server for in context_management'
            cand --model 'Model that the request is for; else the one that the input names'
            cand --provider 'Provider of that model; else the one that the input names'
            cand --context-window 'Context window in tokens; else the model''s, else 200000'
            cand --auth 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults'
            cand -j 'Number of threads; 0 is one for each core'
            cand --jobs 'Number of threads; 0 is one for each core'
            cand --progress 'Show a progress bar on stderr during long runs'
            cand --color 'Colour the text report'
            cand --report-format 'Format of the report'
            cand --force 'Let --write replace a file that is there already'
            cand --strict-input 'Refuse a log of which a part is missing'
            cand -v 'List all policies that were tried'
            cand --verbose 'List all policies that were tried'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;config'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand show 'Print each value and the layer that it comes from'
            cand init 'Print a configuration file with every key at its default'
            cand schema 'Print JSON Schemas of the configuration, the report, the replay and the advice'
            cand presets 'List the named policies'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'deadhead;config;show'= {
            cand --preset 'Named policy; `deadhead config presets` lists all'
            cand --workload 'Apply the settings that the configuration has for this workload'
            cand -c 'Configuration file (JSON5); also an OpenClaw configuration'
            cand --config 'Configuration file (JSON5); also an OpenClaw configuration'
            cand --set 'Set any configuration key; VALUE is JSON5, a bare word is a string'
            cand --mode 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even'
            cand --ttl 'Lifetime of the provider''s cache (1h30m); default auto'
            cand --pass 'Turn passes on, separated by commas; `--pass help` lists all'
            cand --no-pass 'Turn passes off'
            cand --only-if 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks'
            cand --expect-requests 'Number of further requests to expect; else as many as there were so far, 5 to 80'
            cand --thinking 'Handling of thinking behind a cut, which Claude 5.1 and later refuse'
            cand --context-management 'Handling of the edits that a body asks its server for in context_management'
            cand --model 'Model that the request is for; else the one that the input names'
            cand --provider 'Provider of that model; else the one that the input names'
            cand --context-window 'Context window in tokens; else the model''s, else 200000'
            cand --auth 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults'
            cand --json 'Print JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;config;init'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;config;schema'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;config;presets'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;config;help'= {
            cand show 'Print each value and the layer that it comes from'
            cand init 'Print a configuration file with every key at its default'
            cand schema 'Print JSON Schemas of the configuration, the report, the replay and the advice'
            cand presets 'List the named policies'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'deadhead;config;help;show'= {
        }
        &'deadhead;config;help;init'= {
        }
        &'deadhead;config;help;schema'= {
        }
        &'deadhead;config;help;presets'= {
        }
        &'deadhead;config;help;help'= {
        }
        &'deadhead;state'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand show 'List the sessions of a state file, or the cuts of one session'
            cand audit 'List what was done to the requests of a workload'
            cand forget 'Forget sessions with their cuts, times and requests'
            cand vacuum 'Return the space of forgotten sessions to the disk'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'deadhead;state;show'= {
            cand --state 'State file'
            cand --json 'Print JSON'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;state;audit'= {
            cand --state 'State file'
            cand --workload 'Workload whose requests are listed'
            cand --since 'List the requests since this time or age (2026-01-31T12:00:00Z, 7d); else all'
            cand --format 'Format of the list'
            cand --now 'Current time, for an age [default: the system''s clock]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;state;forget'= {
            cand --state 'State file'
            cand --older-than 'Forget all sessions whose last call is longer ago than this (30d)'
            cand --now 'Current time [default: the system''s clock]'
            cand --all 'Forget all sessions'
            cand --json 'Print JSON'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;state;vacuum'= {
            cand --state 'State file'
            cand --json 'Print JSON'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;state;help'= {
            cand show 'List the sessions of a state file, or the cuts of one session'
            cand audit 'List what was done to the requests of a workload'
            cand forget 'Forget sessions with their cuts, times and requests'
            cand vacuum 'Return the space of forgotten sessions to the disk'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'deadhead;state;help;show'= {
        }
        &'deadhead;state;help;audit'= {
        }
        &'deadhead;state;help;forget'= {
        }
        &'deadhead;state;help;vacuum'= {
        }
        &'deadhead;state;help;help'= {
        }
        &'deadhead;canary'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand record 'Store a score, or a file of scores'
            cand status 'Print the state of a workload; exit code 1 if it is breached'
            cand reset 'Prune a breached workload again; only newer scores count from now on'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'deadhead;canary;record'= {
            cand --state 'State file'
            cand --workload 'Workload in the configuration'
            cand --stack 'Deployment of the workload (any name), if scores of several are kept'
            cand -c 'Configuration file, JSON5'
            cand --config 'Configuration file, JSON5'
            cand --score 'Score of an answer; higher is better'
            cand --arm 'Whether the request was pruned, or left unpruned for comparison'
            cand --now 'Current time [default: the system''s clock]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;canary;status'= {
            cand --state 'State file'
            cand --workload 'Workload in the configuration'
            cand --stack 'Deployment of the workload (any name), if scores of several are kept'
            cand -c 'Configuration file, JSON5'
            cand --config 'Configuration file, JSON5'
            cand --json 'Print JSON, with the history of the workload'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;canary;reset'= {
            cand --state 'State file'
            cand --workload 'Workload in the configuration'
            cand --stack 'Deployment of the workload (any name), if scores of several are kept'
            cand -c 'Configuration file, JSON5'
            cand --config 'Configuration file, JSON5'
            cand --reason 'Reason, kept with the history'
            cand --now 'Current time [default: the system''s clock]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;canary;help'= {
            cand record 'Store a score, or a file of scores'
            cand status 'Print the state of a workload; exit code 1 if it is breached'
            cand reset 'Prune a breached workload again; only newer scores count from now on'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'deadhead;canary;help;record'= {
        }
        &'deadhead;canary;help;status'= {
        }
        &'deadhead;canary;help;reset'= {
        }
        &'deadhead;canary;help;help'= {
        }
        &'deadhead;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;help'= {
            cand prune 'Cut old tool output from session logs and request bodies (without FILE: stdin)'
            cand check 'Report what a provider would refuse; --repair writes a repaired copy'
            cand replay 'Compute what a policy would have saved over recorded sessions, in tokens and money'
            cand advise 'Say which policy would have saved most on your own logs, and how sure that is'
            cand config 'Show, write and describe the configuration'
            cand state 'List or forget the sessions of a state file; list the requests of a workload'
            cand canary 'Quality gate of a workload: store scores, print the state, reset'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the man pages, or write them into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'deadhead;help;prune'= {
        }
        &'deadhead;help;check'= {
        }
        &'deadhead;help;replay'= {
        }
        &'deadhead;help;advise'= {
        }
        &'deadhead;help;config'= {
            cand show 'Print each value and the layer that it comes from'
            cand init 'Print a configuration file with every key at its default'
            cand schema 'Print JSON Schemas of the configuration, the report, the replay and the advice'
            cand presets 'List the named policies'
        }
        &'deadhead;help;config;show'= {
        }
        &'deadhead;help;config;init'= {
        }
        &'deadhead;help;config;schema'= {
        }
        &'deadhead;help;config;presets'= {
        }
        &'deadhead;help;state'= {
            cand show 'List the sessions of a state file, or the cuts of one session'
            cand audit 'List what was done to the requests of a workload'
            cand forget 'Forget sessions with their cuts, times and requests'
            cand vacuum 'Return the space of forgotten sessions to the disk'
        }
        &'deadhead;help;state;show'= {
        }
        &'deadhead;help;state;audit'= {
        }
        &'deadhead;help;state;forget'= {
        }
        &'deadhead;help;state;vacuum'= {
        }
        &'deadhead;help;canary'= {
            cand record 'Store a score, or a file of scores'
            cand status 'Print the state of a workload; exit code 1 if it is breached'
            cand reset 'Prune a breached workload again; only newer scores count from now on'
        }
        &'deadhead;help;canary;record'= {
        }
        &'deadhead;help;canary;status'= {
        }
        &'deadhead;help;canary;reset'= {
        }
        &'deadhead;help;completions'= {
        }
        &'deadhead;help;man'= {
        }
        &'deadhead;help;help'= {
        }
    ]
    $completions[$command]
}
