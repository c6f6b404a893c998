import { command, type Command } from '../command.ts'
import { usageError } from '../exit-codes.ts'
import { toServerUrl } from '../server-url.ts'
import { printable } from '../terminal/text.ts'
import { decideCompletion, type CommandTable } from './candidates.ts'
import { readValues } from './values.ts'

// Each script passes the words of the command line to `hctl complete`, which prints the candidates: one
// per line, a tab between the word and its description. All of them complete `npx hctl` too.

/** For `source <(hctl completion bash)`. */
const bash = `# hctl completion bash
_hctl() {
  local line=\${COMP_LINE:0:COMP_POINT} start=1 word candidate current
  local -a tokens
  [[ $line ]] || line="\${COMP_WORDS[*]}"
  read -ra tokens <<<"$line"
  [[ $line == *[[:space:]] || \${#tokens[@]} -eq 0 ]] && tokens+=('')
  local -a program=("\${tokens[0]}")
  if [[ \${tokens[0]##*/} == npx ]]; then
    [[ \${tokens[1]} == hctl ]] || return
    program=(npx hctl) start=2
  fi
  current=\${tokens[\${#tokens[@]}-1]}
  COMPREPLY=()
  while IFS= read -r candidate; do
    printf -v word %q "\${candidate%%$'\\t'*}"
    # Bash replaces only what follows the last colon.
    [[ $current == *:* ]] && word=\${word#"\${current%"\${current##*:}"}"}
    COMPREPLY+=("$word")
  done < <("\${program[@]}" complete -- "\${tokens[@]:start}" 2>/dev/null)
}
complete -F _hctl hctl
complete -p npx &>/dev/null || complete -o default -F _hctl npx`

/** For `source <(hctl completion zsh)`, or a file `_hctl` in a folder of `fpath`. */
const zsh = `#compdef hctl
_hctl() {
  local -a program described
  local line start=2
  program=("\${words[1]}")
  if [[ \${words[1]:t} == npx ]]; then
    [[ \${words[2]} == hctl ]] || { _default; return }
    program=(npx hctl) start=3
  fi
  for line in "\${(@f)$("\${program[@]}" complete -- "\${(@)words[start,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe 'hctl' described
}
compdef _hctl hctl
(( $+_comps[npx] )) || compdef _hctl npx`

/** For `hctl completion fish | source`. */
const fish = `# hctl completion fish
function __hctl_complete
    set --local tokens (commandline -opc) "$(commandline -ct)"
    set --local program $tokens[1]
    set --local arguments $tokens[2..]
    if string match --quiet --regex '(^|/)npx$' -- $tokens[1]
        set program npx hctl
        set arguments $tokens[3..]
    end
    command $program complete -- $arguments 2>/dev/null
end
complete --command hctl --no-files --arguments '(__hctl_complete)'
complete --command npx --condition 'string match --quiet --regex "^\\S*npx +hctl " -- (commandline -cp)' --no-files --arguments '(__hctl_complete)'`

const completionScripts = { bash, zsh, fish } as const

const shells = Object.keys(completionScripts)

const completion = command({
  path: 'completion',
  summary: 'Print a completion script for bash, zsh or fish',
  examples: ['source <(hctl completion bash)'],
  arguments: { shell: { description: 'The shell: bash, zsh or fish', choices: shells } },
  run({ output }, { shell }) {
    if (!Object.hasOwn(completionScripts, shell)) {
      throw usageError('usage', `No completion for ${shell}. Use ${shells.join(', ')}.`)
    }
    const script = completionScripts[shell as keyof typeof completionScripts]
    output.result({ shell, script }, [script])
    return Promise.resolve()
  },
})

/** Called by the completion scripts. The table of commands comes as a parameter, because it contains this one. */
const complete = (table: () => CommandTable): Command =>
  command({
    path: 'complete',
    summary: 'Print the candidates for the last word of a command line',
    hidden: true,
    arguments: { words: { description: 'The words after hctl', rest: true } },
    async run(context, { words }) {
      const { candidates, values, globals } = decideCompletion(table(), words)
      const { profile = context.profile, server } = globals
      const chosen = { ...context, profile, server: server ? toServerUrl(server) : context.server }
      const all = [...candidates, ...(values ? await readValues(chosen, values) : [])]
      const current = words.at(-1) ?? ''
      // Options with several values take them separated by commas: complete the last.
      const finished = current.slice(0, current.lastIndexOf(',') + 1)
      const matching = all
        .map(({ word, description }) => ({ word: finished + word, description }))
        .filter(({ word }) => word.startsWith(current))
      const lines = matching.map(
        ({ word, description }) => printable(word) + '\t' + printable(description),
      )
      context.output.result({ items: matching }, lines)
    },
  })

export const completionCommands = (table: () => CommandTable): Command[] => [
  completion,
  complete(table),
]
