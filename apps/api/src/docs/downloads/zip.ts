import { crc32, deflateRawSync } from 'node:zlib'
import type { ArchivedFile } from './archived-file.ts'

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
