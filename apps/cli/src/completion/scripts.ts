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

export const completionScripts = { bash, zsh, fish } as const
