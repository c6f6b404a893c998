import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Where a flash secret may be read. A flash secret is passed from one page to the next in an encrypted cookie and
 * shown once after a redirect, so reloading the page neither shows it again nor creates another one. It expires
 * soon and is bound to one path and one session or person. The server stores nothing.
 */
export interface FlashTarget {
  /** The path of the page that receives it. */
  readonly path: string
  /** The session or person that it belongs to; `undefined` before sign-in. */
  readonly owner: string | undefined
}

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** The cookie's name. Its `Path` is the page's path, so no other page receives it. */
export const flashCookie = 'handover'

/** Encrypts a text for a page. It expires `seconds` after `now`. The result is a valid cookie value. */
export function encryptFlashSecret(
  serverSecret: Buffer,
  target: FlashTarget,
  { text, seconds, now }: { text: string; seconds: number; now: Date },
): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, keyOf(serverSecret), iv).setAAD(contextOf(target))
  const plain = JSON.stringify({ text, until: now.getTime() + seconds * 1_000 })
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Decrypts a text; `undefined` if it is malformed, has expired, or belongs to another page or owner. */
export function decryptFlashSecret(
  serverSecrets: readonly Buffer[],
  target: FlashTarget,
  given: { encrypted: string; now: Date },
): string | undefined {
  for (const serverSecret of serverSecrets) {
    const text = openWith(serverSecret, target, given)
    if (text !== undefined) return text
  }
  return undefined
}

function openWith(
  serverSecret: Buffer,
  target: FlashTarget,
  { encrypted, now }: { encrypted: string; now: Date },
): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64url')
  if (bytes.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, keyOf(serverSecret), bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(contextOf(target))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    const plain = Buffer.concat([
      decipher.update(bytes.subarray(ivBytes + tagBytes)),
      decipher.final(),
    ])
    const { text, until } = JSON.parse(plain.toString()) as { text: string; until: number }
    return until > now.getTime() ? text : undefined
  } catch {
    // Tampered with, or encrypted for another page or owner.
    return undefined
  }
}

const keyOf = (serverSecret: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', serverSecret, '', 'panel hand-over v1', 32))

const contextOf = ({ path, owner = '' }: FlashTarget): Buffer =>
  Buffer.from(JSON.stringify([path, owner]))
