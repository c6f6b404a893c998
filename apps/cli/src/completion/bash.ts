import type { Place } from './completion.ts'

/** For `source <(hctl completion bash)`. */
export const toBash = (places: readonly Place[]): string => `# hctl completion bash
_hctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} words= word candidates=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) words+="\${words:+ }$word" ;; esac
  done
  case $words in
${places.map(toCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -F _hctl hctl`

/** An id or an option's value may follow a command's words. */
const toCase = ({ words, candidates }: Place): string =>
  `    '${words}'${words.includes(' ') ? `|'${words} '*` : ''}) candidates='${candidates
    .map(({ word }) => word)
    .join(' ')}' ;;`
