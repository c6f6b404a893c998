import { readFileSync } from 'node:fs'

const common: ReadonlySet<string> = new Set(
  readFileSync(new URL('../../assets/common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
)

/** Digits and signs that people write for letters. */
const letters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Runs that people type along, in both directions. */
const runs = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
].flatMap((run) => [run, run.split('').toReversed().join('')])

/** A longer password is not refused for being a short text again and again. */
const repeatedMax = 64

/**
 * Whether a password is one of the first that somebody would try: a common password, also with digits or
 * punctuation around it or digits for letters, a short text repeated, a run of the keyboard, or the person's own
 * e-mail address.
 */
export function isCommonPassword(password: string, email: string | null): boolean {
  const text = password.normalize('NFKC').toLowerCase().trim()
  return (
    isWord(text) ||
    isRepeated(text) ||
    runs.some((run) => run.includes(text)) ||
    (email !== null && isAddress(text, email.toLowerCase()))
  )
}

function isWord(text: string): boolean {
  const inner = text.replace(/^[^a-z]+|[^a-z]+$/g, '')
  const plain = text.replace(/[013457@$!]/g, (sign) => letters[sign]!)
  const trimmed = text.replace(/^[\d\W_]*?(?=[a-z@$]|[013457](?=\D))|[\d\W_]+$/g, '')
  const decoded = trimmed.replace(/[013457@$!]/g, (sign) => letters[sign]!)
  return [text, inner, plain, decoded].some((form) => common.has(form))
}

const isRepeated = (text: string): boolean =>
  text.length <= repeatedMax && /^(.{1,4}?)\1+.{0,3}$/su.test(text)

/** The address, its local part with digits or punctuation, or either without its punctuation. */
function isAddress(text: string, email: string): boolean {
  const [local = ''] = email.split('@')
  const bare = (given: string): string => given.replace(/[^\p{L}\p{N}]/gu, '')
  return bare(text) === bare(email) || bare(text).replace(/\d+$/, '') === bare(local)
}
