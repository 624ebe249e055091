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
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "prune" -d 'Cut old tool output from session logs and request bodies (without FILE: stdin)'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "check" -d 'Report what a provider would refuse; --repair writes a repaired copy'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "replay" -d 'Compute what a policy would have saved over recorded sessions, in tokens and money'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "advise" -d 'Say which policy would have saved most on your own logs, and how sure that is'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "config" -d 'Show, write and describe the configuration'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "state" -d 'List or forget the sessions of a state file; list the requests of a workload'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "canary" -d 'Quality gate of a workload: store scores, print the state, reset'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "man" -d 'Print the man pages, or write them into a directory'
complete -c deadhead -n "__fish_deadhead_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s o -l output -d 'Write to this file instead of stdout (one input)' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l out-dir -d 'Write each pruned input into this directory' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l report -d 'Write the report to this file (- is stdout; needs -o, --out-dir or -n)' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l report-format -d 'Format of the report' -r -f -a "text\t'For people: a line that says it all, then details, in 80 columns'
json\t'Schema 1, indented; several inputs give an array that ends with totals'
jsonl\t'Schema 1, one object per line; several inputs end with a line of totals'
markdown\t'Tables, for a pull request or a mail'
html\t'One page with its pictures in it, for a browser or a printer'"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l format -d 'Format of the input instead of detecting it; `--format help` lists all' -r -f -a "openclaw\t'OpenClaw, pi, Moltbot and Clawdbot session histories (*.jsonl)'
claude-code\t'Claude Code session histories (*.jsonl)'
cline\t'Cline and Roo Code histories (api_conversation_history.json)'
codex\t'Codex rollouts (rollout-*.jsonl)'
copilot-cli\t'Copilot CLI sessions (events.jsonl)'
gemini-cli\t'Gemini CLI sessions (session-*.json, session-*.jsonl)'
opencode\t'OpenCode sessions (opencode export)'
gemini\t'Gemini generateContent request bodies'
bedrock-converse\t'Amazon Bedrock Converse request bodies'
mistral\t'Mistral chat completion request bodies'
cohere\t'Cohere chat request bodies, v1 and v2'
ollama\t'Ollama chat request bodies'
openai-chat\t'OpenAI chat completion request bodies, and those of compatible services'
openai-responses\t'OpenAI Responses request bodies'
anthropic\t'Anthropic Messages request bodies'
messages\t'plain messages: an array, or one a line'"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l files-from -d 'Read the names of further inputs from this file, one in a line (- is stdin)' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l scope -d 'Messages to count and prune: the context that would be sent next, or the whole file' -r -f -a "context\t''
file\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l max-input -d 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l select -d 'Remove this part with everything that depends on it; may be repeated' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l reason -d 'Reason for the selection, for the report' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l preset -d 'Named policy; `deadhead config presets` lists all' -r -f -a "openclaw-2026.1\t'results with images are left alone, chars are UTF-16 units; the defaults are these with the ttl of the cache'
openclaw-2026.4\t'images give way to a marker, Chinese, Japanese and Korean weigh four times'
openclaw-2026.8\t'as 2026.4 with finer weights, and the sizes that OpenClaw has since fixed'
openclaw-2026.9\t'as 2026.8, for OpenAI as well'
clawdbot-adaptive\t'by size alone, before every request, without the clock'
clawdbot-aggressive\t'clears every old result that may be cleared, whatever the size'
anthropic-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
anthropic-clear-thinking\t'removes reasoning but for that of the newest answer'
litellm-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
langchain-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
swe-agent-last-n\t'elides all observations but the newest five'
qwen-microcompact\t'clears old results after an hour, or from 500,000 chars on'
claude-microcompact\t'after an hour, clears results of eight tools, the newest five kept'
opencode-prune\t'clears old results once more than 20,000 tokens go, the newest 40,000 kept'
codex-truncation\t'cuts results to 12,000 tokens, half head and half tail'
vscode-copilot-chat\t'clears results and arguments from 80,000 tokens on, the newest three kept'
break-even\t'old results are cleared where that saves more than the cache costs that it breaks'
break-even-safe\t'as break-even, while a session that ends now is dearer by 0.05 % at most'"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l workload -d 'Apply the settings that the configuration has for this workload' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s c -l config -d 'Configuration file (JSON5); also an OpenClaw configuration' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l set -d 'Set any configuration key; VALUE is JSON5, a bare word is a string' -r -f -a "preset=\t''
edits=\t''
contextManagement=\t''
contextPruning.mode=\t''
contextPruning.ttl=\t''
contextPruning.keepLastAssistants=\t''
contextPruning.softTrimRatio=\t''
contextPruning.hardClearRatio=\t''
contextPruning.minPrunableToolChars=\t''
contextPruning.tools.allow=\t''
contextPruning.tools.deny=\t''
contextPruning.softTrim.maxChars=\t''
contextPruning.softTrim.headChars=\t''
contextPruning.softTrim.tailChars=\t''
contextPruning.hardClear.enabled=\t''
contextPruning.hardClear.placeholder=\t''
contextPruning.hardClear.skipShorter=\t''
contextPruning.images=\t''
contextPruning.estimator=\t''
contextPruning.dropThinkingForEstimate=\t''
contextPruning.providers=\t''
contextPruning.markers=\t''
breakEven.keepLastAssistants=\t''
breakEven.minTokens=\t''
breakEven.expectFactor=\t''
breakEven.expectRequests=\t''
breakEven.caution=\t''
breakEven.budget=\t''
onlyIf=\t''
ephemeral.enabled=\t''
ephemeral.keepTurns=\t''
ephemeral.compat=\t''
ephemeral.tools=\t''
resources.enabled=\t''
resources.stateful=\t''
resources.builtIn=\t''
protect.tools=\t''
protect.files=\t''
protect.patterns=\t''
turnDrop.enabled=\t''
turnDrop.minMessages=\t''
turnDrop.minBodyChars=\t''
turnDrop.keepTurns=\t''
turnDrop.turnUnit=\t''
turnDrop.toolTurns=\t''
turnDrop.dropImages=\t''
turnDrop.marker=\t''
thinking=\t''
ragRerank.enabled=\t''
ragRerank.minMessages=\t''
ragRerank.minBodyChars=\t''
ragRerank.minChunks=\t''
ragRerank.order=\t''
ragRerank.threshold=\t''
ragRerank.maxChunks=\t''
ragRerank.maxChars=\t''
ragRerank.minKeep=\t''
ragRerank.keepAll=\t''
passes.on=\t''
passes.off=\t''
model=\t''
provider=\t''
contextWindow=\t''
models.providers=\t''
agents.defaults.contextTokens=\t''
scope=\t''
mirrors=\t''
auth=\t''
heartbeat.every=\t''
cacheControlTtl=\t''
state.timeout=\t''
workloads=\t''
dedupe.minChars=\t''
replay.rates=\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l mode -d 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even' -r -f -a "auto\t''
off\t''
cache-ttl\t''
adaptive\t''
aggressive\t''
break-even\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l ttl -d 'Lifetime of the provider\'s cache (1h30m); default auto' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l pass -d 'Turn passes on, separated by commas; `--pass help` lists all' -r -f -a "(__fish_complete_list , __fish_deadhead_pass)"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l no-pass -d 'Turn passes off' -r -f -a "(__fish_complete_list , __fish_deadhead_no_pass)"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l only-if -d 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks' -r -f -a "auto\t''
it-pays\t''
always\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l expect-requests -d 'Number of further requests to expect; else as many as there were so far, 5 to 80' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l thinking -d 'Handling of thinking behind a cut, which Claude 5.1 and later refuse' -r -f -a "strip\t''
drop-block\t''
keep\t''
refuse\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l context-management -d 'Handling of the edits that a body asks its server for in context_management' -r -f -a "leave\t''
apply\t''
emit\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l model -d 'Model that the request is for; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l provider -d 'Provider of that model; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l context-window -d 'Context window in tokens; else the model\'s, else 200000' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l auth -d 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults' -r -f -a "oauth\t''
api-key\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l compose -d 'Other tools of the caller that change a request: auto-route, compress, structured-output' -r -f -a "(__fish_complete_list , __fish_deadhead_compose)"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l already-mutated -d 'Another tool has already changed the request: skip turn-drop and rag-rerank' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l emit-header -d 'Write an HTTP header with what turn-drop and rag-rerank removed to this file, one line per request' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l emit-response-fields -d 'Write what the server would have answered about edits that were applied here to this file, one line of JSON per request' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l header-name -d 'Name of the header that --emit-header writes' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l log -d 'Append one line of JSON to this file for each request that was cut' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l now -d 'Current time: RFC 3339, or seconds or milliseconds since 1970 [default: the system\'s clock]' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l last-call -d 'Time or age of the last call (59m); else the input\'s or the state file\'s' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l state -d 'Keep the cuts of each session in this file, and make them again' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l session -d 'Name of the session; else it is taken from the input' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l stack -d 'Deployment of the workload (any name), if the quality gate keeps scores of several' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s j -l jobs -d 'Number of threads; 0 is one for each core' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l progress -d 'Show a progress bar on stderr during long runs' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l color -d 'Colour the text report' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s n -l dry-run -d 'Write no pruned JSON; print the report to stdout'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s q -l quiet -d 'Print no report and no warnings; errors are still printed'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s v -l verbose -d 'List every cut in the text report'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l exit-code -d 'Exit with code 1 if something was cut, or would be'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s r -l recursive -d 'Search directories for *.jsonl, without trajectories and checkpoints'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l strict-input -d 'Refuse a log of which a part is missing'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l log-copies -d 'Cut a log\'s copies of results for the screen as well: saves bytes, no tokens'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l lenient -d 'Skip selectors that match nothing or match protected content'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l force -d 'Remove protected content too (--select); process unchanged inputs again (--out-dir)'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l list -d 'List the parts that can be selected, and prune nothing'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l assume-cold -d 'Treat the provider\'s cache as expired'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -l state-optional -d 'If the state file cannot be used, pass inputs through unpruned instead of failing'
complete -c deadhead -n "__fish_deadhead_using_subcommand prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -s o -l output -d 'Write the repaired copy to this file instead of stdout (one input)' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l out-dir -d 'Write each repaired copy into this directory, with the path that `deadhead prune --out-dir` gives it' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l report-format -d 'Format of the list of defects' -r -f -a "text\t'For people: a line for each defect, then the provider\'s answer and the repair'
json\t'One object per input; several inputs, or bodies in lines, give an array'
jsonl\t'One object per line'"
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l model -d 'Model that the request is for; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l provider -d 'Provider of that model; else it follows from the format and the model' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l format -d 'Format of the input instead of detecting it; `--format help` lists all' -r -f -a "openclaw\t'OpenClaw, pi, Moltbot and Clawdbot session histories (*.jsonl)'
claude-code\t'Claude Code session histories (*.jsonl)'
cline\t'Cline and Roo Code histories (api_conversation_history.json)'
codex\t'Codex rollouts (rollout-*.jsonl)'
copilot-cli\t'Copilot CLI sessions (events.jsonl)'
gemini-cli\t'Gemini CLI sessions (session-*.json, session-*.jsonl)'
opencode\t'OpenCode sessions (opencode export)'
gemini\t'Gemini generateContent request bodies'
bedrock-converse\t'Amazon Bedrock Converse request bodies'
mistral\t'Mistral chat completion request bodies'
cohere\t'Cohere chat request bodies, v1 and v2'
ollama\t'Ollama chat request bodies'
openai-chat\t'OpenAI chat completion request bodies, and those of compatible services'
openai-responses\t'OpenAI Responses request bodies'
anthropic\t'Anthropic Messages request bodies'
messages\t'plain messages: an array, or one a line'"
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l scope -d 'Messages to check: the context that would be sent next, or the whole file' -r -f -a "context\t''
file\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l max-input -d 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l repair -d 'Write a repaired copy to stdout; defects are listed on stderr'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -s q -l quiet -d 'Print nothing; only the exit code says whether there are defects'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -s r -l recursive -d 'Search directories for *.jsonl'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -l strict-input -d 'Refuse a log of which a part is missing'
complete -c deadhead -n "__fish_deadhead_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l sweep -d 'Try each value of a key, in every combination (KEY=VALUE,VALUE)' -r -f -a "preset=\t''
edits=\t''
contextManagement=\t''
contextPruning.mode=\t''
contextPruning.ttl=\t''
contextPruning.keepLastAssistants=\t''
contextPruning.softTrimRatio=\t''
contextPruning.hardClearRatio=\t''
contextPruning.minPrunableToolChars=\t''
contextPruning.tools.allow=\t''
contextPruning.tools.deny=\t''
contextPruning.softTrim.maxChars=\t''
contextPruning.softTrim.headChars=\t''
contextPruning.softTrim.tailChars=\t''
contextPruning.hardClear.enabled=\t''
contextPruning.hardClear.placeholder=\t''
contextPruning.hardClear.skipShorter=\t''
contextPruning.images=\t''
contextPruning.estimator=\t''
contextPruning.dropThinkingForEstimate=\t''
contextPruning.providers=\t''
contextPruning.markers=\t''
breakEven.keepLastAssistants=\t''
breakEven.minTokens=\t''
breakEven.expectFactor=\t''
breakEven.expectRequests=\t''
breakEven.caution=\t''
breakEven.budget=\t''
onlyIf=\t''
ephemeral.enabled=\t''
ephemeral.keepTurns=\t''
ephemeral.compat=\t''
ephemeral.tools=\t''
resources.enabled=\t''
resources.stateful=\t''
resources.builtIn=\t''
protect.tools=\t''
protect.files=\t''
protect.patterns=\t''
turnDrop.enabled=\t''
turnDrop.minMessages=\t''
turnDrop.minBodyChars=\t''
turnDrop.keepTurns=\t''
turnDrop.turnUnit=\t''
turnDrop.toolTurns=\t''
turnDrop.dropImages=\t''
turnDrop.marker=\t''
thinking=\t''
ragRerank.enabled=\t''
ragRerank.minMessages=\t''
ragRerank.minBodyChars=\t''
ragRerank.minChunks=\t''
ragRerank.order=\t''
ragRerank.threshold=\t''
ragRerank.maxChunks=\t''
ragRerank.maxChars=\t''
ragRerank.minKeep=\t''
ragRerank.keepAll=\t''
passes.on=\t''
passes.off=\t''
model=\t''
provider=\t''
contextWindow=\t''
models.providers=\t''
agents.defaults.contextTokens=\t''
scope=\t''
mirrors=\t''
auth=\t''
heartbeat.every=\t''
cacheControlTtl=\t''
state.timeout=\t''
workloads=\t''
dedupe.minChars=\t''
replay.rates=\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l since -d 'Count only requests from this day or time on' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l until -d 'Count only requests before this day or time' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l format -d 'Format of the logs instead of detecting it; `--format help` lists all' -r -f -a "openclaw\t'OpenClaw, pi, Moltbot and Clawdbot session histories (*.jsonl)'
claude-code\t'Claude Code session histories (*.jsonl)'
cline\t'Cline and Roo Code histories (api_conversation_history.json)'
codex\t'Codex rollouts (rollout-*.jsonl)'
copilot-cli\t'Copilot CLI sessions (events.jsonl)'
gemini-cli\t'Gemini CLI sessions (session-*.json, session-*.jsonl)'
opencode\t'OpenCode sessions (opencode export)'
gemini\t'Gemini generateContent request bodies'
bedrock-converse\t'Amazon Bedrock Converse request bodies'
mistral\t'Mistral chat completion request bodies'
cohere\t'Cohere chat request bodies, v1 and v2'
ollama\t'Ollama chat request bodies'
openai-chat\t'OpenAI chat completion request bodies, and those of compatible services'
openai-responses\t'OpenAI Responses request bodies'
anthropic\t'Anthropic Messages request bodies'
messages\t'plain messages: an array, or one a line'"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l max-input -d 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s o -l output -l report -d 'Write the report to this file instead of stdout' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l preset -d 'Named policy; `deadhead config presets` lists all' -r -f -a "(__fish_complete_list , __fish_deadhead_preset)"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l workload -d 'Apply the settings that the configuration has for this workload' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s c -l config -d 'Configuration file (JSON5); also an OpenClaw configuration' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l set -d 'Set any configuration key; VALUE is JSON5, a bare word is a string' -r -f -a "preset=\t''
edits=\t''
contextManagement=\t''
contextPruning.mode=\t''
contextPruning.ttl=\t''
contextPruning.keepLastAssistants=\t''
contextPruning.softTrimRatio=\t''
contextPruning.hardClearRatio=\t''
contextPruning.minPrunableToolChars=\t''
contextPruning.tools.allow=\t''
contextPruning.tools.deny=\t''
contextPruning.softTrim.maxChars=\t''
contextPruning.softTrim.headChars=\t''
contextPruning.softTrim.tailChars=\t''
contextPruning.hardClear.enabled=\t''
contextPruning.hardClear.placeholder=\t''
contextPruning.hardClear.skipShorter=\t''
contextPruning.images=\t''
contextPruning.estimator=\t''
contextPruning.dropThinkingForEstimate=\t''
contextPruning.providers=\t''
contextPruning.markers=\t''
breakEven.keepLastAssistants=\t''
breakEven.minTokens=\t''
breakEven.expectFactor=\t''
breakEven.expectRequests=\t''
breakEven.caution=\t''
breakEven.budget=\t''
onlyIf=\t''
ephemeral.enabled=\t''
ephemeral.keepTurns=\t''
ephemeral.compat=\t''
ephemeral.tools=\t''
resources.enabled=\t''
resources.stateful=\t''
resources.builtIn=\t''
protect.tools=\t''
protect.files=\t''
protect.patterns=\t''
turnDrop.enabled=\t''
turnDrop.minMessages=\t''
turnDrop.minBodyChars=\t''
turnDrop.keepTurns=\t''
turnDrop.turnUnit=\t''
turnDrop.toolTurns=\t''
turnDrop.dropImages=\t''
turnDrop.marker=\t''
thinking=\t''
ragRerank.enabled=\t''
ragRerank.minMessages=\t''
ragRerank.minBodyChars=\t''
ragRerank.minChunks=\t''
ragRerank.order=\t''
ragRerank.threshold=\t''
ragRerank.maxChunks=\t''
ragRerank.maxChars=\t''
ragRerank.minKeep=\t''
ragRerank.keepAll=\t''
passes.on=\t''
passes.off=\t''
model=\t''
provider=\t''
contextWindow=\t''
models.providers=\t''
agents.defaults.contextTokens=\t''
scope=\t''
mirrors=\t''
auth=\t''
heartbeat.every=\t''
cacheControlTtl=\t''
state.timeout=\t''
workloads=\t''
dedupe.minChars=\t''
replay.rates=\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l mode -d 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even' -r -f -a "auto\t''
off\t''
cache-ttl\t''
adaptive\t''
aggressive\t''
break-even\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l ttl -d 'Lifetime of the provider\'s cache (1h30m); default auto' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l pass -d 'Turn passes on, separated by commas; `--pass help` lists all' -r -f -a "(__fish_complete_list , __fish_deadhead_pass)"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l no-pass -d 'Turn passes off' -r -f -a "(__fish_complete_list , __fish_deadhead_no_pass)"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l only-if -d 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks' -r -f -a "auto\t''
it-pays\t''
always\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l expect-requests -d 'Number of further requests to expect; else as many as there were so far, 5 to 80' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l thinking -d 'Handling of thinking behind a cut, which Claude 5.1 and later refuse' -r -f -a "strip\t''
drop-block\t''
keep\t''
refuse\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l context-management -d 'Handling of the edits that a body asks its server for in context_management' -r -f -a "leave\t''
apply\t''
emit\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l model -d 'Model that the request is for; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l provider -d 'Provider of that model; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l context-window -d 'Context window in tokens; else the model\'s, else 200000' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l auth -d 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults' -r -f -a "oauth\t''
api-key\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s j -l jobs -d 'Number of threads; 0 is one for each core' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l progress -d 'Show a progress bar on stderr during long runs' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l color -d 'Colour the text report' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l report-format -d 'Format of the report' -r -f -a "text\t'For people, one screen for each log'
json\t'One object; several logs give an array with a last object of totals'
jsonl\t'One object per line'
markdown\t'For an issue or a wiki'
html\t'One page with charts, for a browser'"
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -l strict-input -d 'Refuse a log of which a part is missing'
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s v -l verbose -d 'List all settings of a --sweep, all days, models and projects'
complete -c deadhead -n "__fish_deadhead_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l write -d 'Write the configuration of the best policy to this file, with the figures in its comment' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l since -d 'Count only requests from this day or time on' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l until -d 'Count only requests before this day or time' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l format -d 'Format of the logs instead of detecting it; `--format help` lists all' -r -f -a "openclaw\t'OpenClaw, pi, Moltbot and Clawdbot session histories (*.jsonl)'
claude-code\t'Claude Code session histories (*.jsonl)'
cline\t'Cline and Roo Code histories (api_conversation_history.json)'
codex\t'Codex rollouts (rollout-*.jsonl)'
copilot-cli\t'Copilot CLI sessions (events.jsonl)'
gemini-cli\t'Gemini CLI sessions (session-*.json, session-*.jsonl)'
opencode\t'OpenCode sessions (opencode export)'
gemini\t'Gemini generateContent request bodies'
bedrock-converse\t'Amazon Bedrock Converse request bodies'
mistral\t'Mistral chat completion request bodies'
cohere\t'Cohere chat request bodies, v1 and v2'
ollama\t'Ollama chat request bodies'
openai-chat\t'OpenAI chat completion request bodies, and those of compatible services'
openai-responses\t'OpenAI Responses request bodies'
anthropic\t'Anthropic Messages request bodies'
messages\t'plain messages: an array, or one a line'"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l max-input -d 'Largest input to unpack, or to read from a pipe or a device (500M, 4G)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -s o -l output -l report -d 'Write the report to this file instead of stdout' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l preset -d 'Named policy; `deadhead config presets` lists all' -r -f -a "openclaw-2026.1\t'results with images are left alone, chars are UTF-16 units; the defaults are these with the ttl of the cache'
openclaw-2026.4\t'images give way to a marker, Chinese, Japanese and Korean weigh four times'
openclaw-2026.8\t'as 2026.4 with finer weights, and the sizes that OpenClaw has since fixed'
openclaw-2026.9\t'as 2026.8, for OpenAI as well'
clawdbot-adaptive\t'by size alone, before every request, without the clock'
clawdbot-aggressive\t'clears every old result that may be cleared, whatever the size'
anthropic-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
anthropic-clear-thinking\t'removes reasoning but for that of the newest answer'
litellm-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
langchain-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
swe-agent-last-n\t'elides all observations but the newest five'
qwen-microcompact\t'clears old results after an hour, or from 500,000 chars on'
claude-microcompact\t'after an hour, clears results of eight tools, the newest five kept'
opencode-prune\t'clears old results once more than 20,000 tokens go, the newest 40,000 kept'
codex-truncation\t'cuts results to 12,000 tokens, half head and half tail'
vscode-copilot-chat\t'clears results and arguments from 80,000 tokens on, the newest three kept'
break-even\t'old results are cleared where that saves more than the cache costs that it breaks'
break-even-safe\t'as break-even, while a session that ends now is dearer by 0.05 % at most'"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l workload -d 'Apply the settings that the configuration has for this workload' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -s c -l config -d 'Configuration file (JSON5); also an OpenClaw configuration' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l set -d 'Set any configuration key; VALUE is JSON5, a bare word is a string' -r -f -a "preset=\t''
edits=\t''
contextManagement=\t''
contextPruning.mode=\t''
contextPruning.ttl=\t''
contextPruning.keepLastAssistants=\t''
contextPruning.softTrimRatio=\t''
contextPruning.hardClearRatio=\t''
contextPruning.minPrunableToolChars=\t''
contextPruning.tools.allow=\t''
contextPruning.tools.deny=\t''
contextPruning.softTrim.maxChars=\t''
contextPruning.softTrim.headChars=\t''
contextPruning.softTrim.tailChars=\t''
contextPruning.hardClear.enabled=\t''
contextPruning.hardClear.placeholder=\t''
contextPruning.hardClear.skipShorter=\t''
contextPruning.images=\t''
contextPruning.estimator=\t''
contextPruning.dropThinkingForEstimate=\t''
contextPruning.providers=\t''
contextPruning.markers=\t''
breakEven.keepLastAssistants=\t''
breakEven.minTokens=\t''
breakEven.expectFactor=\t''
breakEven.expectRequests=\t''
breakEven.caution=\t''
breakEven.budget=\t''
onlyIf=\t''
ephemeral.enabled=\t''
ephemeral.keepTurns=\t''
ephemeral.compat=\t''
ephemeral.tools=\t''
resources.enabled=\t''
resources.stateful=\t''
resources.builtIn=\t''
protect.tools=\t''
protect.files=\t''
protect.patterns=\t''
turnDrop.enabled=\t''
turnDrop.minMessages=\t''
turnDrop.minBodyChars=\t''
turnDrop.keepTurns=\t''
turnDrop.turnUnit=\t''
turnDrop.toolTurns=\t''
turnDrop.dropImages=\t''
turnDrop.marker=\t''
thinking=\t''
ragRerank.enabled=\t''
ragRerank.minMessages=\t''
ragRerank.minBodyChars=\t''
ragRerank.minChunks=\t''
ragRerank.order=\t''
ragRerank.threshold=\t''
ragRerank.maxChunks=\t''
ragRerank.maxChars=\t''
ragRerank.minKeep=\t''
ragRerank.keepAll=\t''
passes.on=\t''
passes.off=\t''
model=\t''
provider=\t''
contextWindow=\t''
models.providers=\t''
agents.defaults.contextTokens=\t''
scope=\t''
mirrors=\t''
auth=\t''
heartbeat.every=\t''
cacheControlTtl=\t''
state.timeout=\t''
workloads=\t''
dedupe.minChars=\t''
replay.rates=\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l mode -d 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even' -r -f -a "auto\t''
off\t''
cache-ttl\t''
adaptive\t''
aggressive\t''
break-even\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l ttl -d 'Lifetime of the provider\'s cache (1h30m); default auto' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l pass -d 'Turn passes on, separated by commas; `--pass help` lists all' -r -f -a "(__fish_complete_list , __fish_deadhead_pass)"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l no-pass -d 'Turn passes off' -r -f -a "(__fish_complete_list , __fish_deadhead_no_pass)"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l only-if -d 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks' -r -f -a "auto\t''
it-pays\t''
always\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l expect-requests -d 'Number of further requests to expect; else as many as there were so far, 5 to 80' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l thinking -d 'Handling of thinking behind a cut, which Claude 5.1 and later refuse' -r -f -a "strip\t''
drop-block\t''
keep\t''
refuse\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l context-management -d 'Handling of the edits that a body asks its server for in context_management' -r -f -a "leave\t''
apply\t''
emit\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l model -d 'Model that the request is for; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l provider -d 'Provider of that model; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l context-window -d 'Context window in tokens; else the model\'s, else 200000' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l auth -d 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults' -r -f -a "oauth\t''
api-key\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -s j -l jobs -d 'Number of threads; 0 is one for each core' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l progress -d 'Show a progress bar on stderr during long runs' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l color -d 'Colour the text report' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l report-format -d 'Format of the report' -r -f -a "text\t'For people, five lines'
json\t'One object, with every policy that was tried'
jsonl\t'The same on one line'
markdown\t'For an issue or a wiki'
html\t'One page with charts, for a browser'"
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l force -d 'Let --write replace a file that is there already'
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -l strict-input -d 'Refuse a log of which a part is missing'
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -s v -l verbose -d 'List all policies that were tried'
complete -c deadhead -n "__fish_deadhead_using_subcommand advise" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets help" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets help" -f -a "show" -d 'Print each value and the layer that it comes from'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets help" -f -a "init" -d 'Print a configuration file with every key at its default'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets help" -f -a "schema" -d 'Print JSON Schemas of the configuration, the report, the replay and the advice'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets help" -f -a "presets" -d 'List the named policies'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and not __fish_seen_subcommand_from show init schema presets help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l preset -d 'Named policy; `deadhead config presets` lists all' -r -f -a "openclaw-2026.1\t'results with images are left alone, chars are UTF-16 units; the defaults are these with the ttl of the cache'
openclaw-2026.4\t'images give way to a marker, Chinese, Japanese and Korean weigh four times'
openclaw-2026.8\t'as 2026.4 with finer weights, and the sizes that OpenClaw has since fixed'
openclaw-2026.9\t'as 2026.8, for OpenAI as well'
clawdbot-adaptive\t'by size alone, before every request, without the clock'
clawdbot-aggressive\t'clears every old result that may be cleared, whatever the size'
anthropic-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
anthropic-clear-thinking\t'removes reasoning but for that of the newest answer'
litellm-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
langchain-clear-tool-uses\t'clears results from 100,000 tokens on, the newest three kept'
swe-agent-last-n\t'elides all observations but the newest five'
qwen-microcompact\t'clears old results after an hour, or from 500,000 chars on'
claude-microcompact\t'after an hour, clears results of eight tools, the newest five kept'
opencode-prune\t'clears old results once more than 20,000 tokens go, the newest 40,000 kept'
codex-truncation\t'cuts results to 12,000 tokens, half head and half tail'
vscode-copilot-chat\t'clears results and arguments from 80,000 tokens on, the newest three kept'
break-even\t'old results are cleared where that saves more than the cache costs that it breaks'
break-even-safe\t'as break-even, while a session that ends now is dearer by 0.05 % at most'"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l workload -d 'Apply the settings that the configuration has for this workload' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -s c -l config -d 'Configuration file (JSON5); also an OpenClaw configuration' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l set -d 'Set any configuration key; VALUE is JSON5, a bare word is a string' -r -f -a "preset=\t''
edits=\t''
contextManagement=\t''
contextPruning.mode=\t''
contextPruning.ttl=\t''
contextPruning.keepLastAssistants=\t''
contextPruning.softTrimRatio=\t''
contextPruning.hardClearRatio=\t''
contextPruning.minPrunableToolChars=\t''
contextPruning.tools.allow=\t''
contextPruning.tools.deny=\t''
contextPruning.softTrim.maxChars=\t''
contextPruning.softTrim.headChars=\t''
contextPruning.softTrim.tailChars=\t''
contextPruning.hardClear.enabled=\t''
contextPruning.hardClear.placeholder=\t''
contextPruning.hardClear.skipShorter=\t''
contextPruning.images=\t''
contextPruning.estimator=\t''
contextPruning.dropThinkingForEstimate=\t''
contextPruning.providers=\t''
contextPruning.markers=\t''
breakEven.keepLastAssistants=\t''
breakEven.minTokens=\t''
breakEven.expectFactor=\t''
breakEven.expectRequests=\t''
breakEven.caution=\t''
breakEven.budget=\t''
onlyIf=\t''
ephemeral.enabled=\t''
ephemeral.keepTurns=\t''
ephemeral.compat=\t''
ephemeral.tools=\t''
resources.enabled=\t''
resources.stateful=\t''
resources.builtIn=\t''
protect.tools=\t''
protect.files=\t''
protect.patterns=\t''
turnDrop.enabled=\t''
turnDrop.minMessages=\t''
turnDrop.minBodyChars=\t''
turnDrop.keepTurns=\t''
turnDrop.turnUnit=\t''
turnDrop.toolTurns=\t''
turnDrop.dropImages=\t''
turnDrop.marker=\t''
thinking=\t''
ragRerank.enabled=\t''
ragRerank.minMessages=\t''
ragRerank.minBodyChars=\t''
ragRerank.minChunks=\t''
ragRerank.order=\t''
ragRerank.threshold=\t''
ragRerank.maxChunks=\t''
ragRerank.maxChars=\t''
ragRerank.minKeep=\t''
ragRerank.keepAll=\t''
passes.on=\t''
passes.off=\t''
model=\t''
provider=\t''
contextWindow=\t''
models.providers=\t''
agents.defaults.contextTokens=\t''
scope=\t''
mirrors=\t''
auth=\t''
heartbeat.every=\t''
cacheControlTtl=\t''
state.timeout=\t''
workloads=\t''
dedupe.minChars=\t''
replay.rates=\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l mode -d 'When to cut: auto, off, cache-ttl, adaptive, aggressive, break-even' -r -f -a "auto\t''
off\t''
cache-ttl\t''
adaptive\t''
aggressive\t''
break-even\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l ttl -d 'Lifetime of the provider\'s cache (1h30m); default auto' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l pass -d 'Turn passes on, separated by commas; `--pass help` lists all' -r -f -a "(__fish_complete_list , __fish_deadhead_pass)"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l no-pass -d 'Turn passes off' -r -f -a "(__fish_complete_list , __fish_deadhead_no_pass)"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l only-if -d 'Condition for the cuts of passes: only if a cut pays for the cache that it breaks' -r -f -a "auto\t''
it-pays\t''
always\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l expect-requests -d 'Number of further requests to expect; else as many as there were so far, 5 to 80' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l thinking -d 'Handling of thinking behind a cut, which Claude 5.1 and later refuse' -r -f -a "strip\t''
drop-block\t''
keep\t''
refuse\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l context-management -d 'Handling of the edits that a body asks its server for in context_management' -r -f -a "leave\t''
apply\t''
emit\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l model -d 'Model that the request is for; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l provider -d 'Provider of that model; else the one that the input names' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l context-window -d 'Context window in tokens; else the model\'s, else 200000' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l auth -d 'Payment for Anthropic, by subscription (oauth) or by token (api-key): sets the matching defaults' -r -f -a "oauth\t''
api-key\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -l json -d 'Print JSON'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from presets" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "show" -d 'Print each value and the layer that it comes from'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "init" -d 'Print a configuration file with every key at its default'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "schema" -d 'Print JSON Schemas of the configuration, the report, the replay and the advice'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "presets" -d 'List the named policies'
complete -c deadhead -n "__fish_deadhead_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show audit forget vacuum help" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show audit forget vacuum help" -f -a "show" -d 'List the sessions of a state file, or the cuts of one session'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show audit forget vacuum help" -f -a "audit" -d 'List what was done to the requests of a workload'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show audit forget vacuum help" -f -a "forget" -d 'Forget sessions with their cuts, times and requests'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show audit forget vacuum help" -f -a "vacuum" -d 'Return the space of forgotten sessions to the disk'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and not __fish_seen_subcommand_from show audit forget vacuum help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from show" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from show" -l json -d 'Print JSON'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from audit" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from audit" -l workload -d 'Workload whose requests are listed' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from audit" -l since -d 'List the requests since this time or age (2026-01-31T12:00:00Z, 7d); else all' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from audit" -l format -d 'Format of the list' -r -f -a "table\t'A line for each request, and the sums'
csv\t'Comma-separated values with a line of names'
jsonl\t'One JSON object per line'"
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from audit" -l now -d 'Current time, for an age [default: the system\'s clock]' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l older-than -d 'Forget all sessions whose last call is longer ago than this (30d)' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l now -d 'Current time [default: the system\'s clock]' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l all -d 'Forget all sessions'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -l json -d 'Print JSON'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from vacuum" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from vacuum" -l json -d 'Print JSON'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from vacuum" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from help" -f -a "show" -d 'List the sessions of a state file, or the cuts of one session'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from help" -f -a "audit" -d 'List what was done to the requests of a workload'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from help" -f -a "forget" -d 'Forget sessions with their cuts, times and requests'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from help" -f -a "vacuum" -d 'Return the space of forgotten sessions to the disk'
complete -c deadhead -n "__fish_deadhead_using_subcommand state; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset help" -f -a "record" -d 'Store a score, or a file of scores'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset help" -f -a "status" -d 'Print the state of a workload; exit code 1 if it is breached'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset help" -f -a "reset" -d 'Prune a breached workload again; only newer scores count from now on'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and not __fish_seen_subcommand_from record status reset help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l workload -d 'Workload in the configuration' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l stack -d 'Deployment of the workload (any name), if scores of several are kept' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -s c -l config -d 'Configuration file, JSON5' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l score -d 'Score of an answer; higher is better' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l arm -d 'Whether the request was pruned, or left unpruned for comparison' -r -f -a "pruned\t''
control\t''"
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -l now -d 'Current time [default: the system\'s clock]' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -l workload -d 'Workload in the configuration' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -l stack -d 'Deployment of the workload (any name), if scores of several are kept' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -s c -l config -d 'Configuration file, JSON5' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -l json -d 'Print JSON, with the history of the workload'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l state -d 'State file' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l workload -d 'Workload in the configuration' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l stack -d 'Deployment of the workload (any name), if scores of several are kept' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -s c -l config -d 'Configuration file, JSON5' -r -F
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l reason -d 'Reason, kept with the history' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -l now -d 'Current time [default: the system\'s clock]' -r
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from help" -f -a "record" -d 'Store a score, or a file of scores'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from help" -f -a "status" -d 'Print the state of a workload; exit code 1 if it is breached'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from help" -f -a "reset" -d 'Prune a breached workload again; only newer scores count from now on'
complete -c deadhead -n "__fish_deadhead_using_subcommand canary; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c deadhead -n "__fish_deadhead_using_subcommand completions" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand man" -s h -l help -d 'Print help'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "prune" -d 'Cut old tool output from session logs and request bodies (without FILE: stdin)'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "check" -d 'Report what a provider would refuse; --repair writes a repaired copy'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "replay" -d 'Compute what a policy would have saved over recorded sessions, in tokens and money'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "advise" -d 'Say which policy would have saved most on your own logs, and how sure that is'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "config" -d 'Show, write and describe the configuration'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "state" -d 'List or forget the sessions of a state file; list the requests of a workload'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "canary" -d 'Quality gate of a workload: store scores, print the state, reset'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "man" -d 'Print the man pages, or write them into a directory'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and not __fish_seen_subcommand_from prune check replay advise config state canary completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "show" -d 'Print each value and the layer that it comes from'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "init" -d 'Print a configuration file with every key at its default'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "schema" -d 'Print JSON Schemas of the configuration, the report, the replay and the advice'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "presets" -d 'List the named policies'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from state" -f -a "show" -d 'List the sessions of a state file, or the cuts of one session'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from state" -f -a "audit" -d 'List what was done to the requests of a workload'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from state" -f -a "forget" -d 'Forget sessions with their cuts, times and requests'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from state" -f -a "vacuum" -d 'Return the space of forgotten sessions to the disk'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from canary" -f -a "record" -d 'Store a score, or a file of scores'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from canary" -f -a "status" -d 'Print the state of a workload; exit code 1 if it is breached'
complete -c deadhead -n "__fish_deadhead_using_subcommand help; and __fish_seen_subcommand_from canary" -f -a "reset" -d 'Prune a breached workload again; only newer scores count from now on'
function __fish_deadhead_pass
    printf '%s\t%s\n' 'select' 'remove what --select names' 'ephemeral' 'remove old calls that hold no file, with their results' 'stale-resource' 'remove older reads and writes of a file that a newer one replaces' 'dedupe' 'replace results by a note if the same content comes again later' 'turn-drop' 'remove the turns in the middle of a long conversation' 'rag-rerank' 'rank retrieved chunks by the question and remove the last ones' 'edits' 'a policy of steps (edits), in the place of soft-trim and hard-clear' 'soft-trim' 'keep head and tail of large old tool results' 'hard-clear' 'replace the oldest tool results by a placeholder' 'break-even' 'clear old tool results where that saves more than it costs (mode break-even)'
end
function __fish_deadhead_no_pass
    printf '%s\t%s\n' 'select' 'remove what --select names' 'ephemeral' 'remove old calls that hold no file, with their results' 'stale-resource' 'remove older reads and writes of a file that a newer one replaces' 'dedupe' 'replace results by a note if the same content comes again later' 'turn-drop' 'remove the turns in the middle of a long conversation' 'rag-rerank' 'rank retrieved chunks by the question and remove the last ones' 'edits' 'a policy of steps (edits), in the place of soft-trim and hard-clear' 'soft-trim' 'keep head and tail of large old tool results' 'hard-clear' 'replace the oldest tool results by a placeholder' 'break-even' 'clear old tool results where that saves more than it costs (mode break-even)'
end
function __fish_deadhead_compose
    printf '%s\t%s\n' 'auto-route' '' 'compress' '' 'structured-output' ''
end
function __fish_deadhead_preset
    printf '%s\t%s\n' 'openclaw-2026.1' 'results with images are left alone, chars are UTF-16 units; the defaults are these with the ttl of the cache' 'openclaw-2026.4' 'images give way to a marker, Chinese, Japanese and Korean weigh four times' 'openclaw-2026.8' 'as 2026.4 with finer weights, and the sizes that OpenClaw has since fixed' 'openclaw-2026.9' 'as 2026.8, for OpenAI as well' 'clawdbot-adaptive' 'by size alone, before every request, without the clock' 'clawdbot-aggressive' 'clears every old result that may be cleared, whatever the size' 'anthropic-clear-tool-uses' 'clears results from 100,000 tokens on, the newest three kept' 'anthropic-clear-thinking' 'removes reasoning but for that of the newest answer' 'litellm-clear-tool-uses' 'clears results from 100,000 tokens on, the newest three kept' 'langchain-clear-tool-uses' 'clears results from 100,000 tokens on, the newest three kept' 'swe-agent-last-n' 'elides all observations but the newest five' 'qwen-microcompact' 'clears old results after an hour, or from 500,000 chars on' 'claude-microcompact' 'after an hour, clears results of eight tools, the newest five kept' 'opencode-prune' 'clears old results once more than 20,000 tokens go, the newest 40,000 kept' 'codex-truncation' 'cuts results to 12,000 tokens, half head and half tail' 'vscode-copilot-chat' 'clears results and arguments from 80,000 tokens on, the newest three kept' 'break-even' 'old results are cleared where that saves more than the cache costs that it breaks' 'break-even-safe' 'as break-even, while a session that ends now is dearer by 0.05 % at most'
end
