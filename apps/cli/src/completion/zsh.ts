import type { Candidate, Place } from './completion.ts'

/** For `hctl completion zsh > "\${fpath[1]}/_hctl"`, or `source <(hctl completion zsh)`. */
export const toZsh = (places: readonly Place[]): string => `#compdef hctl
_hctl() {
  local -a typed candidates
  typed=(\${\${words[2,CURRENT-1]}:#-*})
  case "\${typed[*]}" in
${places.map(toCase).join('\n')}
  esac
  _describe 'hctl' candidates
}
compdef _hctl hctl`

const toCase = ({ words, candidates }: Place): string =>
  `    '${words}'${words.includes(' ') ? `|'${words} '*` : ''}) candidates=(${candidates
    .map(toItem)
    .join(' ')}) ;;`

/** A colon parts word and description. */
const toItem = ({ word, description }: Candidate): string =>
  quote(`${word.replaceAll(':', '\\:')}:${description}`)

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
