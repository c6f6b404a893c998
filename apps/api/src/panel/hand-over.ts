import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * What one page hands over to the next by a cookie: a secret that is shown once after a redirect, so that
 * loading the page again neither shows it nor makes another. It is sealed, lapses soon, is good for one
 * path and one session alone, and nothing of it is kept on our side.
 */
export interface HandOver {
  /** The path of the page that gets it. */
  readonly path: string
  /** Whose it is: the session, or nobody's yet while signing in. */
  readonly sessionId: string | undefined
}

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** The cookie's name. Its `Path` is the page's, so that no other page gets it. */
export const handOverCookie = 'handover'

/** Seals a text for a page until `now` plus the seconds. The result is safe in a cookie. */
export function sealHandOver(
  serverSecret: Buffer,
  place: HandOver,
  { text, seconds, now }: { text: string; seconds: number; now: Date },
): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, keyOf(serverSecret), iv).setAAD(contextOf(place))
  const plain = JSON.stringify({ text, until: now.getTime() + seconds * 1_000 })
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** The text that was sealed for the page; `undefined` if it is for another, has lapsed, or is none. */
export function openHandOver(
  serverSecrets: readonly Buffer[],
  place: HandOver,
  given: { sealed: string; now: Date },
): string | undefined {
  for (const serverSecret of serverSecrets) {
    const text = openWith(serverSecret, place, given)
    if (text !== undefined) return text
  }
  return undefined
}

function openWith(
  serverSecret: Buffer,
  place: HandOver,
  { sealed, now }: { sealed: string; now: Date },
): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, keyOf(serverSecret), bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(contextOf(place))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    const plain = Buffer.concat([
      decipher.update(bytes.subarray(ivBytes + tagBytes)),
      decipher.final(),
    ])
    const { text, until } = JSON.parse(plain.toString()) as { text: string; until: number }
    return until > now.getTime() ? text : undefined
  } catch {
    // It was changed, or sealed for another page or session.
    return undefined
  }
}

const keyOf = (serverSecret: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', serverSecret, '', 'panel hand-over v1', 32))

const contextOf = ({ path, sessionId = '' }: HandOver): Buffer =>
  Buffer.from(JSON.stringify([path, sessionId]))
