import { crc32, deflateRawSync } from 'node:zlib'

/** The first day that the format can express: the same files are always the same archive. */
const dateDos = (1 << 5) | 1
const versionNeeded = 20
const deflated = 8
/** The names are in UTF-8. */
const utf8Flag = 0x800
/** Made on Unix, as a regular file that everyone may read: `-rw-r--r--`. */
const madeOnUnix = (3 << 8) | versionNeeded
const unixMode = 0o100644

/** A zip archive of files, in their order. (APPNOTE.TXT of the format, sections 4.3.7, 4.3.12 and 4.3.16.) */
export function zipOf(files: readonly ArchivedFile[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, content } of files) {
    const name = Buffer.from(path)
    const data = deflateRawSync(content, { level: 9 })
    const described = describe(name, content, data)
    const local = Buffer.concat([uint32(0x04034b50), described, uint16(0), name, data])
    locals.push(local)
    directory.push(
      Buffer.concat([
        uint32(0x02014b50),
        uint16(madeOnUnix),
        described,
        ...[0, 0, 0, 0].map(uint16),
        uint32(unixMode * 2 ** 16),
        uint32(offset),
        name,
      ]),
    )
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const counts = [0, 0, files.length, files.length].map(uint16)
  const end = [uint32(0x06054b50), ...counts, uint32(listed.length), uint32(offset), uint16(0)]
  return Buffer.concat([...locals, listed, ...end])
}

/** What an entry and its line in the directory both say, up to the length of the name. */
const describe = (name: Buffer, content: Buffer, data: Buffer): Buffer =>
  Buffer.concat([
    ...[versionNeeded, utf8Flag, deflated, 0, dateDos].map(uint16),
    ...[crc32(content), data.length, content.length].map(uint32),
    uint16(name.length),
  ])

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** A file of an archive. */
export interface ArchivedFile {
  readonly path: string
  readonly content: Buffer
}

const blockBytes = 512
const pathBytesMax = 100
/** 26 October 1985, as npm writes it: the same files are always the same archive. */
const mtimeSeconds = 499_162_500

/** A tar archive of regular files (POSIX.1-2017, pax, "ustar Interchange Format"). `.mjs` files are executable. */
export function tarOf(files: readonly ArchivedFile[]): Buffer {
  const blocks = files.flatMap(({ path, content }) => [
    headerOf(path, content.length),
    content,
    Buffer.alloc(-content.length & (blockBytes - 1)),
  ])
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)])
}

function headerOf(path: string, bytes: number): Buffer {
  if (Buffer.byteLength(path) > pathBytesMax) throw new Error(`The path is too long: ${path}`)
  const header = Buffer.alloc(blockBytes)
  header.write(path, 0)
  header.write(octal(path.endsWith('.mjs') ? 0o755 : 0o644, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(bytes, 12), 124)
  header.write(octal(mtimeSeconds, 12), 136)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  // The checksum is computed with spaces in its own field.
  header.write(' '.repeat(8), 148)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  header.write(`${octal(checksum, 7)} `, 148)
  return header
}

const octal = (value: number, width: number): string =>
  `${value.toString(8).padStart(width - 1, '0')}\0`
