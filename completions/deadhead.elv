
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
            cand prune 'Prune histories and request bodies; without FILE, or with -, read stdin'
            cand check 'Report what a provider would refuse; --repair writes a repaired copy'
            cand replay 'What a policy would have saved over recorded sessions, in tokens and money'
            cand config 'Show, write and describe the configuration'
            cand state 'Look at a state file, forget sessions, give room back'
            cand canary 'The quality gate of a workload: scores, where it stands, back into service'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the man pages, or write them into a directory'
        }
        &'deadhead;prune'= {
            cand -o 'Write here instead of to stdout (one input)'
            cand --output 'Write here instead of to stdout (one input)'
            cand --out-dir 'Write each input into this directory'
            cand --report 'Write the report to this file (- is stdout, with -o, --out-dir or -n)'
            cand --report-format 'How the report is written'
            cand --format 'Format of the input, else told by its content; `help` lists them'
            cand --scope 'What counts: the context that would be sent next, or all lines'
            cand --max-input 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)'
            cand --select 'Take this away, with all that depends on it; may be given several times'
            cand --reason 'Why, for the report'
            cand --preset 'Start from a named policy; `deadhead config presets` lists them'
            cand --workload 'Settings of a workload that the configuration has under `workloads`'
            cand -c 'Configuration file, JSON5; also an OpenClaw configuration as it stands'
            cand --config 'Configuration file, JSON5; also an OpenClaw configuration as it stands'
            cand --set 'Set any configuration key; VALUE is JSON5, a bare word a string'
            cand --mode 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even'
            cand --ttl 'Age of the last call from which the cache counts as expired (5m, 1h30m)'
            cand --pass 'Turn passes on, by name and separated by commas; `help` lists them'
            cand --no-pass 'Turn passes off'
            cand --thinking 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later'
            cand --model 'Model the request will run on; else the input''s own'
            cand --provider 'Provider of that model; else the input''s own'
            cand --context-window 'Context window in tokens; else that of the model, else 200000'
            cand --auth 'How Anthropic is paid; sets the defaults that go with it'
            cand --compose 'Mechanics that the caller has beside this one: auto-route, compress, structured-output'
            cand --already-mutated 'A mechanic that has changed the request''s content already: turn-drop and rag-rerank rest'
            cand --emit-header 'Write the header that tells what turn-drop and rag-rerank removed to this file, a line for each request'
            cand --header-name 'Name of that header'
            cand --log 'Append a line of JSON to this file for each request that was cut'
            cand --now 'The time that counts as now: RFC 3339, or seconds or milliseconds since 1970'
            cand --last-call 'When the last call was: a time, or an age such as 59m'
            cand --state 'Keep the clock of each session, and its cuts, in this file between runs'
            cand --session 'Name of the session; else told by the input'
            cand --stack 'The stack that the workload runs on, where canaries are kept for several'
            cand -j 'Threads to use; 0 is one for each core'
            cand --jobs 'Threads to use; 0 is one for each core'
            cand --progress 'Show a progress bar on stderr when the work lasts'
            cand --color 'Colour the text report'
            cand -n 'Write no pruned JSON; the report goes to stdout'
            cand --dry-run 'Write no pruned JSON; the report goes to stdout'
            cand -q 'No report and no warnings on stderr; errors are still told'
            cand --quiet 'No report and no warnings on stderr; errors are still told'
            cand -v 'List every cut in the text report'
            cand --verbose 'List every cut in the text report'
            cand --exit-code 'Exit with 1 if something was, or would be, cut'
            cand -r 'Walk directories for *.jsonl, but not for trajectories and checkpoints'
            cand --recursive 'Walk directories for *.jsonl, but not for trajectories and checkpoints'
            cand --strict-input 'Refuse a log of which a part is missing'
            cand --log-copies 'Cut what a log repeats of the results for the screen as well: saves bytes, no tokens'
            cand --lenient 'Go on without selectors that name nothing, and leave what must stay'
            cand --force 'Take what is protected, too'
            cand --list 'List what can be selected, and prune nothing'
            cand --assume-cold 'Take the provider''s cache as expired'
            cand --state-optional 'Pass inputs through unpruned where the state file cannot be used, instead of failing'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;check'= {
            cand -o 'Write the repaired copy here instead of to stdout (one input)'
            cand --output 'Write the repaired copy here instead of to stdout (one input)'
            cand --out-dir 'Write each repaired copy into this directory, in the place that `deadhead prune --out-dir` gives it'
            cand --report-format 'How defects are listed'
            cand --model 'Model the request will run on; else the input''s own'
            cand --provider 'Provider of that model; else what the input''s format and model say'
            cand --format 'Format of the input, else told by its content; `help` lists them'
            cand --scope 'What counts: the context that would be sent next, or all lines'
            cand --max-input 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)'
            cand --repair 'Write a repaired copy to stdout; what is found goes to stderr'
            cand -q 'Print nothing; the exit code says it'
            cand --quiet 'Print nothing; the exit code says it'
            cand -r 'Walk directories for *.jsonl'
            cand --recursive 'Walk directories for *.jsonl'
            cand --strict-input 'Refuse a log of which a part is missing'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;replay'= {
            cand --sweep 'Try each value of a key, every way with the others (KEY=VALUE,VALUE)'
            cand --since 'Count only requests from this day or time on'
            cand --until 'Count only requests before this day or time'
            cand --format 'Format of the logs, else told by their content; `help` lists them'
            cand --max-input 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)'
            cand -o 'Write the report to this file instead of to stdout'
            cand --output 'Write the report to this file instead of to stdout'
            cand --report 'Write the report to this file instead of to stdout'
            cand --report-format 'How the report is written'
            cand --preset 'Start from a named policy; `deadhead config presets` lists them'
            cand --workload 'Settings of a workload that the configuration has under `workloads`'
            cand -c 'Configuration file, JSON5; also an OpenClaw configuration as it stands'
            cand --config 'Configuration file, JSON5; also an OpenClaw configuration as it stands'
            cand --set 'Set any configuration key; VALUE is JSON5, a bare word a string'
            cand --mode 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even'
            cand --ttl 'Age of the last call from which the cache counts as expired (5m, 1h30m)'
            cand --pass 'Turn passes on, by name and separated by commas; `help` lists them'
            cand --no-pass 'Turn passes off'
            cand --thinking 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later'
            cand --model 'Model the request will run on; else the input''s own'
            cand --provider 'Provider of that model; else the input''s own'
            cand --context-window 'Context window in tokens; else that of the model, else 200000'
            cand --auth 'How Anthropic is paid; sets the defaults that go with it'
            cand -j 'Threads to use; 0 is one for each core'
            cand --jobs 'Threads to use; 0 is one for each core'
            cand --progress 'Show a progress bar on stderr when the work lasts'
            cand --color 'Colour the text report'
            cand --strict-input 'Refuse a log of which a part is missing'
            cand -v 'List all settings of a grid, all days, models and projects'
            cand --verbose 'List all settings of a grid, all days, models and projects'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;config'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand show 'Print each value and where it comes from'
            cand init 'Print a configuration file to start from'
            cand schema 'Print JSON Schemas of the configuration, the report and the replay'
            cand presets 'List the named policies'
        }
        &'deadhead;config;show'= {
            cand --preset 'Start from a named policy; `deadhead config presets` lists them'
            cand --workload 'Settings of a workload that the configuration has under `workloads`'
            cand -c 'Configuration file, JSON5; also an OpenClaw configuration as it stands'
            cand --config 'Configuration file, JSON5; also an OpenClaw configuration as it stands'
            cand --set 'Set any configuration key; VALUE is JSON5, a bare word a string'
            cand --mode 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even'
            cand --ttl 'Age of the last call from which the cache counts as expired (5m, 1h30m)'
            cand --pass 'Turn passes on, by name and separated by commas; `help` lists them'
            cand --no-pass 'Turn passes off'
            cand --thinking 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later'
            cand --model 'Model the request will run on; else the input''s own'
            cand --provider 'Provider of that model; else the input''s own'
            cand --context-window 'Context window in tokens; else that of the model, else 200000'
            cand --auth 'How Anthropic is paid; sets the defaults that go with it'
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
        &'deadhead;state'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand show 'List the sessions of a state file, or the cuts of one'
            cand forget 'Forget sessions: their clocks and their cuts'
            cand vacuum 'Give the room of what was forgotten back to the disk'
        }
        &'deadhead;state;show'= {
            cand --state 'State file'
            cand --json 'Print JSON'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;state;forget'= {
            cand --state 'State file'
            cand --older-than 'All whose last call is longer ago than this (30d)'
            cand --now 'The time that counts as now'
            cand --all 'All'
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
        &'deadhead;canary'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand record 'Store a score, or a file of them'
            cand status 'Where a workload stands: exit code 1 when it is retired, or would be'
            cand reset 'Take a workload back into service: only newer scores count from now on'
        }
        &'deadhead;canary;record'= {
            cand --state 'State file'
            cand --workload 'Workload of the configuration'
            cand --stack 'Stack, where there are several'
            cand -c 'Configuration file, JSON5'
            cand --config 'Configuration file, JSON5'
            cand --score 'The score; higher is better'
            cand --arm 'Whether it is of an answer to a pruned request, or of one left alone'
            cand --now 'The time that counts as now'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'deadhead;canary;status'= {
            cand --state 'State file'
            cand --workload 'Workload of the configuration'
            cand --stack 'Stack, where there are several'
            cand -c 'Configuration file, JSON5'
            cand --config 'Configuration file, JSON5'
            cand --json 'Print JSON, with all that happened to the workload'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;canary;reset'= {
            cand --state 'State file'
            cand --workload 'Workload of the configuration'
            cand --stack 'Stack, where there are several'
            cand -c 'Configuration file, JSON5'
            cand --config 'Configuration file, JSON5'
            cand --reason 'Why'
            cand --now 'The time that counts as now'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'deadhead;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
