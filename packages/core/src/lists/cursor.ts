import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto'

/** Makes and reads the cursors of all lists: see {@link createCursors}. */
export interface Cursors {
  /** The cursor of a position in a list: 107 or more characters of base64url. The same position has the same cursor. */
  encode(list: string, position: string): string
  /** The position of a cursor of this list; `undefined` if it is not one, or was made with another secret. */
  decode(list: string, cursor: string): string | undefined
}

/**
 * Creates the cursors of an installation. A cursor is encrypted and authenticated, so that it shows nothing of what it
 * counts, not even by its length, and only this installation makes one. It names its list, so that the cursor of
 * another list is refused. The encryption is deterministic, with a synthetic nonce (as in RFC 5297): the end of the event
 * log is recognized by a cursor that stays the same.
 *
 * @param serverSecrets - the first makes cursors, and all of them read them.
 */
export function createCursors(serverSecrets: readonly [Buffer, ...Buffer[]]): Cursors {
  const [first, ...others] = serverSecrets.map(keysOf) as [CursorKeys, ...CursorKeys[]]
  return {
    encode: (list, position) => seal(first, list, position),
    decode(list, cursor) {
      const bytes = Buffer.from(cursor, 'base64url')
      if (bytes.toString('base64url') !== cursor || bytes.length < tagBytes + blockBytes) {
        return undefined
      }
      for (const keys of [first, ...others]) {
        const position = open(keys, list, bytes)
        if (position !== undefined) return position
      }
      return undefined
    },
  }
}

/**
 * The position in a cursor of the form that version 1.0.0 made, which is not authenticated; `undefined` if it is not one
 * of this list. Only for lists whose cursors clients keep. Anybody can make one, so check that PostgreSQL can store it.
 */
export function decodePlainCursor(list: string, cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  if (!text.startsWith(`${list}:`) || Buffer.from(text).toString('base64url') !== cursor) {
    return undefined
  }
  return text.slice(list.length + 1)
}

interface CursorKeys {
  readonly tag: Buffer
  readonly encryption: Buffer
}

const algorithm = 'aes-256-ctr'
const tagBytes = 16

/** Positions are padded to a multiple of it, so that the length shows no number of digits. */
const blockBytes = 64

const keysOf = (serverSecret: Buffer): CursorKeys => {
  const bytes = Buffer.from(hkdfSync('sha256', serverSecret, '', 'cursors v1', 64))
  return { tag: bytes.subarray(0, 32), encryption: bytes.subarray(32) }
}

function seal(keys: CursorKeys, list: string, position: string): string {
  const plain = pad(Buffer.from(position))
  const tag = tagOf(keys, list, plain)
  const cipher = createCipheriv(algorithm, keys.encryption, tag)
  return Buffer.concat([tag, cipher.update(plain), cipher.final()]).toString('base64url')
}

function open(keys: CursorKeys, list: string, bytes: Buffer): string | undefined {
  const tag = bytes.subarray(0, tagBytes)
  const decipher = createDecipheriv(algorithm, keys.encryption, tag)
  const plain = Buffer.concat([decipher.update(bytes.subarray(tagBytes)), decipher.final()])
  return timingSafeEqual(tag, tagOf(keys, list, plain))
    ? plain.subarray(0, plain.lastIndexOf(padding)).toString()
    : undefined
}

/** The tag is the nonce of the encryption too. A name of a list contains no NUL, which ends it. */
const tagOf = ({ tag }: CursorKeys, list: string, plain: Buffer): Buffer =>
  createHmac('sha256', tag).update(`${list}\0`).update(plain).digest().subarray(0, tagBytes)

/** The byte that ends a position. It does not occur in UTF-8 (RFC 3629). Zeros follow. */
const padding = 0xff

const pad = (bytes: Buffer): Buffer => {
  const padded = Buffer.alloc(Math.ceil((bytes.length + 1) / blockBytes) * blockBytes)
  bytes.copy(padded)
  padded[bytes.length] = padding
  return padded
}
