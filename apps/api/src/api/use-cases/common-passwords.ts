import { readFileSync } from 'node:fs'

const common: ReadonlySet<string> = new Set(
  readFileSync(new URL('../../../assets/common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
)

/** Digits and signs that people use instead of letters. */
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

/** Sequences on the keyboard or in the alphabet, in both directions. */
const runs = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
].flatMap((run) => [run, run.split('').toReversed().join('')])

/** Longer passwords may be a repeated short text. */
const repeatedMax = 64

/**
 * Whether a password is easy to guess: a common password, also with surrounding digits or punctuation or with
 * digits instead of letters; a repeated short text; a keyboard sequence; or the person's email address.
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

/** Whether the text is the address or its local part, ignoring punctuation and trailing digits. */
function isAddress(text: string, email: string): boolean {
  const [local = ''] = email.split('@')
  const bare = (given: string): string => given.replace(/[^\p{L}\p{N}]/gu, '')
  return bare(text) === bare(email) || bare(text).replace(/\d+$/, '') === bare(local)
}
