_deadhead() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="deadhead"
                ;;
            deadhead,advise)
                cmd="deadhead__subcmd__advise"
                ;;
            deadhead,canary)
                cmd="deadhead__subcmd__canary"
                ;;
            deadhead,check)
                cmd="deadhead__subcmd__check"
                ;;
            deadhead,completions)
                cmd="deadhead__subcmd__completions"
                ;;
            deadhead,config)
                cmd="deadhead__subcmd__config"
                ;;
            deadhead,help)
                cmd="deadhead__subcmd__help"
                ;;
            deadhead,man)
                cmd="deadhead__subcmd__man"
                ;;
            deadhead,prune)
                cmd="deadhead__subcmd__prune"
                ;;
            deadhead,replay)
                cmd="deadhead__subcmd__replay"
                ;;
            deadhead,state)
                cmd="deadhead__subcmd__state"
                ;;
            deadhead__subcmd__canary,help)
                cmd="deadhead__subcmd__canary__subcmd__help"
                ;;
            deadhead__subcmd__canary,record)
                cmd="deadhead__subcmd__canary__subcmd__record"
                ;;
            deadhead__subcmd__canary,reset)
                cmd="deadhead__subcmd__canary__subcmd__reset"
                ;;
            deadhead__subcmd__canary,status)
                cmd="deadhead__subcmd__canary__subcmd__status"
                ;;
            deadhead__subcmd__canary__subcmd__help,help)
                cmd="deadhead__subcmd__canary__subcmd__help__subcmd__help"
                ;;
            deadhead__subcmd__canary__subcmd__help,record)
                cmd="deadhead__subcmd__canary__subcmd__help__subcmd__record"
                ;;
            deadhead__subcmd__canary__subcmd__help,reset)
                cmd="deadhead__subcmd__canary__subcmd__help__subcmd__reset"
                ;;
            deadhead__subcmd__canary__subcmd__help,status)
                cmd="deadhead__subcmd__canary__subcmd__help__subcmd__status"
                ;;
            deadhead__subcmd__config,help)
                cmd="deadhead__subcmd__config__subcmd__help"
                ;;
            deadhead__subcmd__config,init)
                cmd="deadhead__subcmd__config__subcmd__init"
                ;;
            deadhead__subcmd__config,presets)
                cmd="deadhead__subcmd__config__subcmd__presets"
                ;;
            deadhead__subcmd__config,schema)
                cmd="deadhead__subcmd__config__subcmd__schema"
                ;;
            deadhead__subcmd__config,show)
                cmd="deadhead__subcmd__config__subcmd__show"
                ;;
            deadhead__subcmd__config__subcmd__help,help)
                cmd="deadhead__subcmd__config__subcmd__help__subcmd__help"
                ;;
            deadhead__subcmd__config__subcmd__help,init)
                cmd="deadhead__subcmd__config__subcmd__help__subcmd__init"
                ;;
            deadhead__subcmd__config__subcmd__help,presets)
                cmd="deadhead__subcmd__config__subcmd__help__subcmd__presets"
                ;;
            deadhead__subcmd__config__subcmd__help,schema)
                cmd="deadhead__subcmd__config__subcmd__help__subcmd__schema"
                ;;
            deadhead__subcmd__config__subcmd__help,show)
                cmd="deadhead__subcmd__config__subcmd__help__subcmd__show"
                ;;
            deadhead__subcmd__help,advise)
                cmd="deadhead__subcmd__help__subcmd__advise"
                ;;
            deadhead__subcmd__help,canary)
                cmd="deadhead__subcmd__help__subcmd__canary"
                ;;
            deadhead__subcmd__help,check)
                cmd="deadhead__subcmd__help__subcmd__check"
                ;;
            deadhead__subcmd__help,completions)
                cmd="deadhead__subcmd__help__subcmd__completions"
                ;;
            deadhead__subcmd__help,config)
                cmd="deadhead__subcmd__help__subcmd__config"
                ;;
            deadhead__subcmd__help,help)
                cmd="deadhead__subcmd__help__subcmd__help"
                ;;
            deadhead__subcmd__help,man)
                cmd="deadhead__subcmd__help__subcmd__man"
                ;;
            deadhead__subcmd__help,prune)
                cmd="deadhead__subcmd__help__subcmd__prune"
                ;;
            deadhead__subcmd__help,replay)
                cmd="deadhead__subcmd__help__subcmd__replay"
                ;;
            deadhead__subcmd__help,state)
                cmd="deadhead__subcmd__help__subcmd__state"
                ;;
            deadhead__subcmd__help__subcmd__canary,record)
                cmd="deadhead__subcmd__help__subcmd__canary__subcmd__record"
                ;;
            deadhead__subcmd__help__subcmd__canary,reset)
                cmd="deadhead__subcmd__help__subcmd__canary__subcmd__reset"
                ;;
            deadhead__subcmd__help__subcmd__canary,status)
                cmd="deadhead__subcmd__help__subcmd__canary__subcmd__status"
                ;;
            deadhead__subcmd__help__subcmd__config,init)
                cmd="deadhead__subcmd__help__subcmd__config__subcmd__init"
                ;;
            deadhead__subcmd__help__subcmd__config,presets)
                cmd="deadhead__subcmd__help__subcmd__config__subcmd__presets"
                ;;
            deadhead__subcmd__help__subcmd__config,schema)
                cmd="deadhead__subcmd__help__subcmd__config__subcmd__schema"
                ;;
            deadhead__subcmd__help__subcmd__config,show)
                cmd="deadhead__subcmd__help__subcmd__config__subcmd__show"
                ;;
            deadhead__subcmd__help__subcmd__state,audit)
                cmd="deadhead__subcmd__help__subcmd__state__subcmd__audit"
                ;;
            deadhead__subcmd__help__subcmd__state,forget)
                cmd="deadhead__subcmd__help__subcmd__state__subcmd__forget"
                ;;
            deadhead__subcmd__help__subcmd__state,show)
                cmd="deadhead__subcmd__help__subcmd__state__subcmd__show"
                ;;
            deadhead__subcmd__help__subcmd__state,vacuum)
                cmd="deadhead__subcmd__help__subcmd__state__subcmd__vacuum"
                ;;
            deadhead__subcmd__state,audit)
                cmd="deadhead__subcmd__state__subcmd__audit"
                ;;
            deadhead__subcmd__state,forget)
                cmd="deadhead__subcmd__state__subcmd__forget"
                ;;
            deadhead__subcmd__state,help)
                cmd="deadhead__subcmd__state__subcmd__help"
                ;;
            deadhead__subcmd__state,show)
                cmd="deadhead__subcmd__state__subcmd__show"
                ;;
            deadhead__subcmd__state,vacuum)
                cmd="deadhead__subcmd__state__subcmd__vacuum"
                ;;
            deadhead__subcmd__state__subcmd__help,audit)
                cmd="deadhead__subcmd__state__subcmd__help__subcmd__audit"
                ;;
            deadhead__subcmd__state__subcmd__help,forget)
                cmd="deadhead__subcmd__state__subcmd__help__subcmd__forget"
                ;;
            deadhead__subcmd__state__subcmd__help,help)
                cmd="deadhead__subcmd__state__subcmd__help__subcmd__help"
                ;;
            deadhead__subcmd__state__subcmd__help,show)
                cmd="deadhead__subcmd__state__subcmd__help__subcmd__show"
                ;;
            deadhead__subcmd__state__subcmd__help,vacuum)
                cmd="deadhead__subcmd__state__subcmd__help__subcmd__vacuum"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        deadhead)
            opts="-h -V --help --version prune check replay advise config state canary completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__advise)
            opts="-o -c -j -v -h --write --force --since --until --format --max-input --strict-input --report --output --preset --workload --config --set --mode --ttl --pass --no-pass --only-if --expect-requests --thinking --context-management --model --provider --context-window --auth --jobs --progress --color --report-format --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --write)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "openclaw claude-code cline codex copilot-cli gemini-cli opencode gemini bedrock-converse mistral cohere ollama openai-chat openai-responses anthropic messages" -- "${cur}"))
                    return 0
                    ;;
                --max-input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --report)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --preset)
                    COMPREPLY=($(compgen -W "openclaw-2026.1 openclaw-2026.4 openclaw-2026.8 openclaw-2026.9 clawdbot-adaptive clawdbot-aggressive anthropic-clear-tool-uses anthropic-clear-thinking litellm-clear-tool-uses langchain-clear-tool-uses swe-agent-last-n qwen-microcompact claude-microcompact opencode-prune codex-truncation vscode-copilot-chat break-even break-even-safe" -- "${cur}"))
                    return 0
                    ;;
                --workload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "preset= edits= contextManagement= contextPruning.mode= contextPruning.ttl= contextPruning.keepLastAssistants= contextPruning.softTrimRatio= contextPruning.hardClearRatio= contextPruning.minPrunableToolChars= contextPruning.tools.allow= contextPruning.tools.deny= contextPruning.softTrim.maxChars= contextPruning.softTrim.headChars= contextPruning.softTrim.tailChars= contextPruning.hardClear.enabled= contextPruning.hardClear.placeholder= contextPruning.hardClear.skipShorter= contextPruning.images= contextPruning.estimator= contextPruning.dropThinkingForEstimate= contextPruning.providers= contextPruning.markers= breakEven.keepLastAssistants= breakEven.minTokens= breakEven.expectFactor= breakEven.expectRequests= breakEven.caution= breakEven.budget= onlyIf= ephemeral.enabled= ephemeral.keepTurns= ephemeral.compat= ephemeral.tools= resources.enabled= resources.stateful= resources.builtIn= protect.tools= protect.files= protect.patterns= turnDrop.enabled= turnDrop.minMessages= turnDrop.minBodyChars= turnDrop.keepTurns= turnDrop.turnUnit= turnDrop.toolTurns= turnDrop.dropImages= turnDrop.marker= thinking= ragRerank.enabled= ragRerank.minMessages= ragRerank.minBodyChars= ragRerank.minChunks= ragRerank.order= ragRerank.threshold= ragRerank.maxChunks= ragRerank.maxChars= ragRerank.minKeep= ragRerank.keepAll= passes.on= passes.off= model= provider= contextWindow= models.providers= agents.defaults.contextTokens= scope= mirrors= auth= heartbeat.every= cacheControlTtl= state.timeout= workloads= dedupe.minChars= replay.rates=" -- "${cur}"))
                    compopt -o nospace
                    return 0
                    ;;
                --mode)
                    COMPREPLY=($(compgen -W "auto off cache-ttl adaptive aggressive break-even" -- "${cur}"))
                    return 0
                    ;;
                --ttl)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pass)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "select ephemeral stale-resource dedupe turn-drop rag-rerank edits soft-trim hard-clear break-even" -- "${cur##*,}"))
                    return 0
                    ;;
                --no-pass)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "select ephemeral stale-resource dedupe turn-drop rag-rerank edits soft-trim hard-clear break-even" -- "${cur##*,}"))
                    return 0
                    ;;
                --only-if)
                    COMPREPLY=($(compgen -W "auto it-pays always" -- "${cur}"))
                    return 0
                    ;;
                --expect-requests)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --thinking)
                    COMPREPLY=($(compgen -W "strip drop-block keep refuse" -- "${cur}"))
                    return 0
                    ;;
                --context-management)
                    COMPREPLY=($(compgen -W "leave apply emit" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --provider)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --context-window)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --auth)
                    COMPREPLY=($(compgen -W "oauth api-key" -- "${cur}"))
                    return 0
                    ;;
                --jobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --report-format)
                    COMPREPLY=($(compgen -W "text json jsonl markdown html" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary)
            opts="-h --help record status reset help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary__subcmd__help)
            opts="record status reset help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary__subcmd__help__subcmd__record)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary__subcmd__help__subcmd__reset)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary__subcmd__help__subcmd__status)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary__subcmd__record)
            opts="-c -h --state --workload --stack --config --score --arm --now --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stack)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --score)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --arm)
                    COMPREPLY=($(compgen -W "pruned control" -- "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary__subcmd__reset)
            opts="-c -h --state --workload --stack --config --reason --now --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stack)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reason)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__canary__subcmd__status)
            opts="-c -h --state --workload --stack --config --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stack)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__check)
            opts="-o -q -r -h --repair --output --out-dir --report-format --quiet --model --provider --format --recursive --scope --max-input --strict-input --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out-dir)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --report-format)
                    COMPREPLY=($(compgen -W "text json jsonl" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --provider)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "openclaw claude-code cline codex copilot-cli gemini-cli opencode gemini bedrock-converse mistral cohere ollama openai-chat openai-responses anthropic messages" -- "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "context file" -- "${cur}"))
                    return 0
                    ;;
                --max-input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__completions)
            opts="-h --help bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config)
            opts="-h --help show init schema presets help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__help)
            opts="show init schema presets help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__help__subcmd__init)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__help__subcmd__presets)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__help__subcmd__schema)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__help__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__init)
            opts="-h --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__presets)
            opts="-h --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__schema)
            opts="-h --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__config__subcmd__show)
            opts="-c -h --preset --workload --config --set --mode --ttl --pass --no-pass --only-if --expect-requests --thinking --context-management --model --provider --context-window --auth --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --preset)
                    COMPREPLY=($(compgen -W "openclaw-2026.1 openclaw-2026.4 openclaw-2026.8 openclaw-2026.9 clawdbot-adaptive clawdbot-aggressive anthropic-clear-tool-uses anthropic-clear-thinking litellm-clear-tool-uses langchain-clear-tool-uses swe-agent-last-n qwen-microcompact claude-microcompact opencode-prune codex-truncation vscode-copilot-chat break-even break-even-safe" -- "${cur}"))
                    return 0
                    ;;
                --workload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "preset= edits= contextManagement= contextPruning.mode= contextPruning.ttl= contextPruning.keepLastAssistants= contextPruning.softTrimRatio= contextPruning.hardClearRatio= contextPruning.minPrunableToolChars= contextPruning.tools.allow= contextPruning.tools.deny= contextPruning.softTrim.maxChars= contextPruning.softTrim.headChars= contextPruning.softTrim.tailChars= contextPruning.hardClear.enabled= contextPruning.hardClear.placeholder= contextPruning.hardClear.skipShorter= contextPruning.images= contextPruning.estimator= contextPruning.dropThinkingForEstimate= contextPruning.providers= contextPruning.markers= breakEven.keepLastAssistants= breakEven.minTokens= breakEven.expectFactor= breakEven.expectRequests= breakEven.caution= breakEven.budget= onlyIf= ephemeral.enabled= ephemeral.keepTurns= ephemeral.compat= ephemeral.tools= resources.enabled= resources.stateful= resources.builtIn= protect.tools= protect.files= protect.patterns= turnDrop.enabled= turnDrop.minMessages= turnDrop.minBodyChars= turnDrop.keepTurns= turnDrop.turnUnit= turnDrop.toolTurns= turnDrop.dropImages= turnDrop.marker= thinking= ragRerank.enabled= ragRerank.minMessages= ragRerank.minBodyChars= ragRerank.minChunks= ragRerank.order= ragRerank.threshold= ragRerank.maxChunks= ragRerank.maxChars= ragRerank.minKeep= ragRerank.keepAll= passes.on= passes.off= model= provider= contextWindow= models.providers= agents.defaults.contextTokens= scope= mirrors= auth= heartbeat.every= cacheControlTtl= state.timeout= workloads= dedupe.minChars= replay.rates=" -- "${cur}"))
                    compopt -o nospace
                    return 0
                    ;;
                --mode)
                    COMPREPLY=($(compgen -W "auto off cache-ttl adaptive aggressive break-even" -- "${cur}"))
                    return 0
                    ;;
                --ttl)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pass)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "select ephemeral stale-resource dedupe turn-drop rag-rerank edits soft-trim hard-clear break-even" -- "${cur##*,}"))
                    return 0
                    ;;
                --no-pass)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "select ephemeral stale-resource dedupe turn-drop rag-rerank edits soft-trim hard-clear break-even" -- "${cur##*,}"))
                    return 0
                    ;;
                --only-if)
                    COMPREPLY=($(compgen -W "auto it-pays always" -- "${cur}"))
                    return 0
                    ;;
                --expect-requests)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --thinking)
                    COMPREPLY=($(compgen -W "strip drop-block keep refuse" -- "${cur}"))
                    return 0
                    ;;
                --context-management)
                    COMPREPLY=($(compgen -W "leave apply emit" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --provider)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --context-window)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --auth)
                    COMPREPLY=($(compgen -W "oauth api-key" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help)
            opts="prune check replay advise config state canary completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__advise)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__canary)
            opts="record status reset"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__canary__subcmd__record)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__canary__subcmd__reset)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__canary__subcmd__status)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__check)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__completions)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__config)
            opts="show init schema presets"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__config__subcmd__init)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__config__subcmd__presets)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__config__subcmd__schema)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__config__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__man)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__prune)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__replay)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__state)
            opts="show audit forget vacuum"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__state__subcmd__audit)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__state__subcmd__forget)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__state__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__help__subcmd__state__subcmd__vacuum)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__man)
            opts="-h --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__prune)
            opts="-o -n -q -v -r -c -j -h --output --out-dir --dry-run --report --report-format --quiet --verbose --exit-code --format --files-from --recursive --scope --strict-input --log-copies --max-input --select --reason --lenient --force --list --preset --workload --config --set --mode --ttl --pass --no-pass --only-if --expect-requests --thinking --context-management --model --provider --context-window --auth --compose --already-mutated --emit-header --emit-response-fields --header-name --log --now --last-call --assume-cold --state --session --state-optional --stack --jobs --progress --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out-dir)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --report)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --report-format)
                    COMPREPLY=($(compgen -W "text json jsonl markdown html" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "openclaw claude-code cline codex copilot-cli gemini-cli opencode gemini bedrock-converse mistral cohere ollama openai-chat openai-responses anthropic messages" -- "${cur}"))
                    return 0
                    ;;
                --files-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -W "context file" -- "${cur}"))
                    return 0
                    ;;
                --max-input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --select)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reason)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --preset)
                    COMPREPLY=($(compgen -W "openclaw-2026.1 openclaw-2026.4 openclaw-2026.8 openclaw-2026.9 clawdbot-adaptive clawdbot-aggressive anthropic-clear-tool-uses anthropic-clear-thinking litellm-clear-tool-uses langchain-clear-tool-uses swe-agent-last-n qwen-microcompact claude-microcompact opencode-prune codex-truncation vscode-copilot-chat break-even break-even-safe" -- "${cur}"))
                    return 0
                    ;;
                --workload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "preset= edits= contextManagement= contextPruning.mode= contextPruning.ttl= contextPruning.keepLastAssistants= contextPruning.softTrimRatio= contextPruning.hardClearRatio= contextPruning.minPrunableToolChars= contextPruning.tools.allow= contextPruning.tools.deny= contextPruning.softTrim.maxChars= contextPruning.softTrim.headChars= contextPruning.softTrim.tailChars= contextPruning.hardClear.enabled= contextPruning.hardClear.placeholder= contextPruning.hardClear.skipShorter= contextPruning.images= contextPruning.estimator= contextPruning.dropThinkingForEstimate= contextPruning.providers= contextPruning.markers= breakEven.keepLastAssistants= breakEven.minTokens= breakEven.expectFactor= breakEven.expectRequests= breakEven.caution= breakEven.budget= onlyIf= ephemeral.enabled= ephemeral.keepTurns= ephemeral.compat= ephemeral.tools= resources.enabled= resources.stateful= resources.builtIn= protect.tools= protect.files= protect.patterns= turnDrop.enabled= turnDrop.minMessages= turnDrop.minBodyChars= turnDrop.keepTurns= turnDrop.turnUnit= turnDrop.toolTurns= turnDrop.dropImages= turnDrop.marker= thinking= ragRerank.enabled= ragRerank.minMessages= ragRerank.minBodyChars= ragRerank.minChunks= ragRerank.order= ragRerank.threshold= ragRerank.maxChunks= ragRerank.maxChars= ragRerank.minKeep= ragRerank.keepAll= passes.on= passes.off= model= provider= contextWindow= models.providers= agents.defaults.contextTokens= scope= mirrors= auth= heartbeat.every= cacheControlTtl= state.timeout= workloads= dedupe.minChars= replay.rates=" -- "${cur}"))
                    compopt -o nospace
                    return 0
                    ;;
                --mode)
                    COMPREPLY=($(compgen -W "auto off cache-ttl adaptive aggressive break-even" -- "${cur}"))
                    return 0
                    ;;
                --ttl)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pass)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "select ephemeral stale-resource dedupe turn-drop rag-rerank edits soft-trim hard-clear break-even" -- "${cur##*,}"))
                    return 0
                    ;;
                --no-pass)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "select ephemeral stale-resource dedupe turn-drop rag-rerank edits soft-trim hard-clear break-even" -- "${cur##*,}"))
                    return 0
                    ;;
                --only-if)
                    COMPREPLY=($(compgen -W "auto it-pays always" -- "${cur}"))
                    return 0
                    ;;
                --expect-requests)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --thinking)
                    COMPREPLY=($(compgen -W "strip drop-block keep refuse" -- "${cur}"))
                    return 0
                    ;;
                --context-management)
                    COMPREPLY=($(compgen -W "leave apply emit" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --provider)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --context-window)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --auth)
                    COMPREPLY=($(compgen -W "oauth api-key" -- "${cur}"))
                    return 0
                    ;;
                --compose)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "auto-route compress structured-output" -- "${cur##*,}"))
                    return 0
                    ;;
                --already-mutated)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --emit-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --emit-response-fields)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --header-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --last-call)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --session)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stack)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --jobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__replay)
            opts="-o -c -j -v -h --sweep --since --until --format --max-input --strict-input --report --output --preset --workload --config --set --mode --ttl --pass --no-pass --only-if --expect-requests --thinking --context-management --model --provider --context-window --auth --jobs --progress --color --report-format --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --sweep)
                    COMPREPLY=($(compgen -W "preset= edits= contextManagement= contextPruning.mode= contextPruning.ttl= contextPruning.keepLastAssistants= contextPruning.softTrimRatio= contextPruning.hardClearRatio= contextPruning.minPrunableToolChars= contextPruning.tools.allow= contextPruning.tools.deny= contextPruning.softTrim.maxChars= contextPruning.softTrim.headChars= contextPruning.softTrim.tailChars= contextPruning.hardClear.enabled= contextPruning.hardClear.placeholder= contextPruning.hardClear.skipShorter= contextPruning.images= contextPruning.estimator= contextPruning.dropThinkingForEstimate= contextPruning.providers= contextPruning.markers= breakEven.keepLastAssistants= breakEven.minTokens= breakEven.expectFactor= breakEven.expectRequests= breakEven.caution= breakEven.budget= onlyIf= ephemeral.enabled= ephemeral.keepTurns= ephemeral.compat= ephemeral.tools= resources.enabled= resources.stateful= resources.builtIn= protect.tools= protect.files= protect.patterns= turnDrop.enabled= turnDrop.minMessages= turnDrop.minBodyChars= turnDrop.keepTurns= turnDrop.turnUnit= turnDrop.toolTurns= turnDrop.dropImages= turnDrop.marker= thinking= ragRerank.enabled= ragRerank.minMessages= ragRerank.minBodyChars= ragRerank.minChunks= ragRerank.order= ragRerank.threshold= ragRerank.maxChunks= ragRerank.maxChars= ragRerank.minKeep= ragRerank.keepAll= passes.on= passes.off= model= provider= contextWindow= models.providers= agents.defaults.contextTokens= scope= mirrors= auth= heartbeat.every= cacheControlTtl= state.timeout= workloads= dedupe.minChars= replay.rates=" -- "${cur}"))
                    compopt -o nospace
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "openclaw claude-code cline codex copilot-cli gemini-cli opencode gemini bedrock-converse mistral cohere ollama openai-chat openai-responses anthropic messages" -- "${cur}"))
                    return 0
                    ;;
                --max-input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --report)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --preset)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "openclaw-2026.1 openclaw-2026.4 openclaw-2026.8 openclaw-2026.9 clawdbot-adaptive clawdbot-aggressive anthropic-clear-tool-uses anthropic-clear-thinking litellm-clear-tool-uses langchain-clear-tool-uses swe-agent-last-n qwen-microcompact claude-microcompact opencode-prune codex-truncation vscode-copilot-chat break-even break-even-safe" -- "${cur##*,}"))
                    return 0
                    ;;
                --workload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "preset= edits= contextManagement= contextPruning.mode= contextPruning.ttl= contextPruning.keepLastAssistants= contextPruning.softTrimRatio= contextPruning.hardClearRatio= contextPruning.minPrunableToolChars= contextPruning.tools.allow= contextPruning.tools.deny= contextPruning.softTrim.maxChars= contextPruning.softTrim.headChars= contextPruning.softTrim.tailChars= contextPruning.hardClear.enabled= contextPruning.hardClear.placeholder= contextPruning.hardClear.skipShorter= contextPruning.images= contextPruning.estimator= contextPruning.dropThinkingForEstimate= contextPruning.providers= contextPruning.markers= breakEven.keepLastAssistants= breakEven.minTokens= breakEven.expectFactor= breakEven.expectRequests= breakEven.caution= breakEven.budget= onlyIf= ephemeral.enabled= ephemeral.keepTurns= ephemeral.compat= ephemeral.tools= resources.enabled= resources.stateful= resources.builtIn= protect.tools= protect.files= protect.patterns= turnDrop.enabled= turnDrop.minMessages= turnDrop.minBodyChars= turnDrop.keepTurns= turnDrop.turnUnit= turnDrop.toolTurns= turnDrop.dropImages= turnDrop.marker= thinking= ragRerank.enabled= ragRerank.minMessages= ragRerank.minBodyChars= ragRerank.minChunks= ragRerank.order= ragRerank.threshold= ragRerank.maxChunks= ragRerank.maxChars= ragRerank.minKeep= ragRerank.keepAll= passes.on= passes.off= model= provider= contextWindow= models.providers= agents.defaults.contextTokens= scope= mirrors= auth= heartbeat.every= cacheControlTtl= state.timeout= workloads= dedupe.minChars= replay.rates=" -- "${cur}"))
                    compopt -o nospace
                    return 0
                    ;;
                --mode)
                    COMPREPLY=($(compgen -W "auto off cache-ttl adaptive aggressive break-even" -- "${cur}"))
                    return 0
                    ;;
                --ttl)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pass)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "select ephemeral stale-resource dedupe turn-drop rag-rerank edits soft-trim hard-clear break-even" -- "${cur##*,}"))
                    return 0
                    ;;
                --no-pass)
                    COMPREPLY=($(compgen -P "${cur%"${cur##*,}"}" -W "select ephemeral stale-resource dedupe turn-drop rag-rerank edits soft-trim hard-clear break-even" -- "${cur##*,}"))
                    return 0
                    ;;
                --only-if)
                    COMPREPLY=($(compgen -W "auto it-pays always" -- "${cur}"))
                    return 0
                    ;;
                --expect-requests)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --thinking)
                    COMPREPLY=($(compgen -W "strip drop-block keep refuse" -- "${cur}"))
                    return 0
                    ;;
                --context-management)
                    COMPREPLY=($(compgen -W "leave apply emit" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --provider)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --context-window)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --auth)
                    COMPREPLY=($(compgen -W "oauth api-key" -- "${cur}"))
                    return 0
                    ;;
                --jobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --report-format)
                    COMPREPLY=($(compgen -W "text json jsonl markdown html" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state)
            opts="-h --help show audit forget vacuum help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__audit)
            opts="-h --state --workload --since --format --now --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "table csv jsonl" -- "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__forget)
            opts="-h --state --older-than --all --now --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --older-than)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__help)
            opts="show audit forget vacuum help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__help__subcmd__audit)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__help__subcmd__forget)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__help__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__help__subcmd__vacuum)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__show)
            opts="-h --state --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        deadhead__subcmd__state__subcmd__vacuum)
            opts="-h --state --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _deadhead -o nosort -o bashdefault -o default deadhead
else
    complete -F _deadhead -o bashdefault -o default deadhead
fi
