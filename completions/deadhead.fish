# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_deadhead_global_optspecs
    string join \n h/help V/version
end

function __fish_deadhead_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_deadhead_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_deadhead_using_subcommand
    set -l cmd (__fish_deadhead_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c deadhead -n "__fish_deadhead_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_needs_command" -s V -l version -d 'Print version'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "prune" -d 'Prune histories and request bodies; without FILE, or with -, read stdin'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "check" -d 'Report what a provider would refuse; --repair writes a repaired copy'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "replay" -d 'What a policy would have saved over recorded sessions, in tokens and money'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "config" -d 'Show, write and describe the configuration'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "state" -d 'Look at a state file, forget sessions, give room back'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "canary" -d 'The quality gate of a workload: scores, where it stands, back into service'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "man" -d 'Print the man pages, or write them into a directory'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s o -l output -d 'Write here instead of to stdout (one input)' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l out-dir -d 'Write each input into this directory' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l report -d 'Write the report to this file (- is stdout, with -o, --out-dir or -n)' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l report-format -d 'How the report is written' -r -f -a "text\t'For people: a line that says it all, then details, in 80 columns'
json\t'Schema 1, indented; several inputs give an array that ends with totals'
jsonl\t'Schema 1, one object per line; several inputs end with a line of totals'
markdown\t'Tables, for a pull request or a mail'
html\t'One page with its pictures in it, for a browser or a printer'"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l format -d 'Format of the input, else told by its content; `help` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l scope -d 'What counts: the context that would be sent next, or all lines' -r -f -a "context\t''
file\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l max-input -d 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l select -d 'Take this away, with all that depends on it; may be given several times' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l reason -d 'Why, for the report' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l preset -d 'Start from a named policy; `deadhead config presets` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l workload -d 'Settings of a workload that the configuration has under `workloads`' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s c -l config -d 'Configuration file, JSON5; also an OpenClaw configuration as it stands' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l set -d 'Set any configuration key; VALUE is JSON5, a bare word a string' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l mode -d 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even' -r -f -a "auto\t''
off\t''
cache-ttl\t''
adaptive\t''
aggressive\t''
break-even\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l ttl -d 'Age of the last call from which the cache counts as expired (5m, 1h30m)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l pass -d 'Turn passes on, by name and separated by commas; `help` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l no-pass -d 'Turn passes off' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l thinking -d 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later' -r -f -a "strip\t''
drop-block\t''
keep\t''
refuse\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l model -d 'Model the request will run on; else the input\'s own' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l provider -d 'Provider of that model; else the input\'s own' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l context-window -d 'Context window in tokens; else that of the model, else 200000' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l auth -d 'How Anthropic is paid; sets the defaults that go with it' -r -f -a "oauth\t''
api-key\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l compose -d 'Mechanics that the caller has beside this one: auto-route, compress, structured-output' -r -f -a "auto-route\t''
compress\t''
structured-output\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l already-mutated -d 'A mechanic that has changed the request\'s content already: turn-drop and rag-rerank rest' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l emit-header -d 'Write the header that tells what turn-drop and rag-rerank removed to this file, a line for each request' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l header-name -d 'Name of that header' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l log -d 'Append a line of JSON to this file for each request that was cut' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l now -d 'The time that counts as now: RFC 3339, or seconds or milliseconds since 1970' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l last-call -d 'When the last call was: a time, or an age such as 59m' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l state -d 'Keep the clock of each session, and its cuts, in this file between runs' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l session -d 'Name of the session; else told by the input' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l stack -d 'The stack that the workload runs on, where canaries are kept for several' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s j -l jobs -d 'Threads to use; 0 is one for each core' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l progress -d 'Show a progress bar on stderr when the work lasts' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l color -d 'Colour the text report' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s n -l dry-run -d 'Write no pruned JSON; the report goes to stdout'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s q -l quiet -d 'No report and no warnings on stderr; errors are still told'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s v -l verbose -d 'List every cut in the text report'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l exit-code -d 'Exit with 1 if something was, or would be, cut'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s r -l recursive -d 'Walk directories for *.jsonl, but not for trajectories and checkpoints'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l strict-input -d 'Refuse a log of which a part is missing'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l log-copies -d 'Cut what a log repeats of the results for the screen as well: saves bytes, no tokens'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l lenient -d 'Go on without selectors that name nothing, and leave what must stay'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l force -d 'Take what is protected, too'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l list -d 'List what can be selected, and prune nothing'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l assume-cold -d 'Take the provider\'s cache as expired'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l state-optional -d 'Pass inputs through unpruned where the state file cannot be used, instead of failing'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -s o -l output -d 'Write the repaired copy here instead of to stdout (one input)' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l out-dir -d 'Write each repaired copy into this directory, in the place that `deadhead prune --out-dir` gives it' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l report-format -d 'How defects are listed' -r -f -a "text\t'For people: a line for each defect, with the provider\'s answer and the mend below it'
json\t'One object for an input; several inputs, or bodies in lines, give an array'
jsonl\t'One object a line'"
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l model -d 'Model the request will run on; else the input\'s own' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l provider -d 'Provider of that model; else what the input\'s format and model say' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l format -d 'Format of the input, else told by its content; `help` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l scope -d 'What counts: the context that would be sent next, or all lines' -r -f -a "context\t''
file\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l max-input -d 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l repair -d 'Write a repaired copy to stdout; what is found goes to stderr'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -s q -l quiet -d 'Print nothing; the exit code says it'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -s r -l recursive -d 'Walk directories for *.jsonl'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l strict-input -d 'Refuse a log of which a part is missing'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l sweep -d 'Try each value of a key, every way with the others (KEY=VALUE,VALUE)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l since -d 'Count only requests from this day or time on' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l until -d 'Count only requests before this day or time' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l format -d 'Format of the logs, else told by their content; `help` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l max-input -d 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s o -l output -l report -d 'Write the report to this file instead of to stdout' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l report-format -d 'How the report is written' -r -f -a "text\t'For people, one screen for each log'
json\t'One object; several logs give an array with a last object of totals'
jsonl\t'One object a line'
markdown\t'For an issue or a wiki'
html\t'One page with its pictures in it, for a browser'"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l preset -d 'Start from a named policy; `deadhead config presets` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l workload -d 'Settings of a workload that the configuration has under `workloads`' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s c -l config -d 'Configuration file, JSON5; also an OpenClaw configuration as it stands' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l set -d 'Set any configuration key; VALUE is JSON5, a bare word a string' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l mode -d 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even' -r -f -a "auto\t''
off\t''
cache-ttl\t''
adaptive\t''
aggressive\t''
break-even\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l ttl -d 'Age of the last call from which the cache counts as expired (5m, 1h30m)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l pass -d 'Turn passes on, by name and separated by commas; `help` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l no-pass -d 'Turn passes off' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l thinking -d 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later' -r -f -a "strip\t''
drop-block\t''
keep\t''
refuse\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l model -d 'Model the request will run on; else the input\'s own' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l provider -d 'Provider of that model; else the input\'s own' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l context-window -d 'Context window in tokens; else that of the model, else 200000' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l auth -d 'How Anthropic is paid; sets the defaults that go with it' -r -f -a "oauth\t''
api-key\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s j -l jobs -d 'Threads to use; 0 is one for each core' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l progress -d 'Show a progress bar on stderr when the work lasts' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l color -d 'Colour the text report' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l strict-input -d 'Refuse a log of which a part is missing'
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s v -l verbose -d 'List all settings of a grid, all days, models and projects'
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets" -f -a "show" -d 'Print each value and where it comes from'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets" -f -a "init" -d 'Print a configuration file to start from'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets" -f -a "schema" -d 'Print JSON Schemas of the configuration, the report and the replay'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets" -f -a "presets" -d 'List the named policies'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l preset -d 'Start from a named policy; `deadhead config presets` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l workload -d 'Settings of a workload that the configuration has under `workloads`' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -s c -l config -d 'Configuration file, JSON5; also an OpenClaw configuration as it stands' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l set -d 'Set any configuration key; VALUE is JSON5, a bare word a string' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l mode -d 'When to prune: auto, off, cache-ttl, adaptive, aggressive or break-even' -r -f -a "auto\t''
off\t''
cache-ttl\t''
adaptive\t''
aggressive\t''
break-even\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l ttl -d 'Age of the last call from which the cache counts as expired (5m, 1h30m)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l pass -d 'Turn passes on, by name and separated by commas; `help` lists them' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l no-pass -d 'Turn passes off' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l thinking -d 'What happens to thinking that a cut before it makes invalid on Claude 5.1 and later' -r -f -a "strip\t''
drop-block\t''
keep\t''
refuse\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l model -d 'Model the request will run on; else the input\'s own' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l provider -d 'Provider of that model; else the input\'s own' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l context-window -d 'Context window in tokens; else that of the model, else 200000' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l auth -d 'How Anthropic is paid; sets the defaults that go with it' -r -f -a "oauth\t''
api-key\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l json -d 'Print JSON'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from presets" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show forget vacuum" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show forget vacuum" -f -a "show" -d 'List the sessions of a state file, or the cuts of one'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show forget vacuum" -f -a "forget" -d 'Forget sessions: their clocks and their cuts'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show forget vacuum" -f -a "vacuum" -d 'Give the room of what was forgotten back to the disk'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from show" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from show" -l json -d 'Print JSON'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l older-than -d 'All whose last call is longer ago than this (30d)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l now -d 'The time that counts as now' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l all -d 'All'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l json -d 'Print JSON'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from vacuum" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from vacuum" -l json -d 'Print JSON'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from vacuum" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset" -f -a "record" -d 'Store a score, or a file of them'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset" -f -a "status" -d 'Where a workload stands: exit code 1 when it is retired, or would be'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset" -f -a "reset" -d 'Take a workload back into service: only newer scores count from now on'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l workload -d 'Workload of the configuration' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l stack -d 'Stack, where there are several' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -s c -l config -d 'Configuration file, JSON5' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l score -d 'The score; higher is better' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l arm -d 'Whether it is of an answer to a pruned request, or of one left alone' -r -f -a "pruned\t''
control\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l now -d 'The time that counts as now' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -l workload -d 'Workload of the configuration' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -l stack -d 'Stack, where there are several' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -s c -l config -d 'Configuration file, JSON5' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -l json -d 'Print JSON, with all that happened to the workload'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l workload -d 'Workload of the configuration' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l stack -d 'Stack, where there are several' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -s c -l config -d 'Configuration file, JSON5' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l reason -d 'Why' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l now -d 'The time that counts as now' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand completions" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand man" -s h -l help -d 'Print help'
