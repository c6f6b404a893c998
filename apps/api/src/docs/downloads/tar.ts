import type { ArchivedFile } from './archived-file.ts'

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
