import { Problem } from '@hosting/core/problems'
import type { RequestHandler } from 'express'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { siteFile } from '../site.ts'

/** The platforms with an executable of `hctl`, as Node's packages name them. */
export const binaryPlatforms = ['linux-x64', 'linux-arm64'] as const

/** A platform of {@link binaryPlatforms}. */
export type BinaryPlatform = (typeof binaryPlatforms)[number]

/** The compressed executable of a platform without the code of `hctl`, which `npm run binaries` writes. */
export const binaryFile = (platform: BinaryPlatform): string =>
  siteFile(`../binaries/${platform}.gz`)

/** Whether this installation has the executables. */
export const hasBinaries = (): boolean =>
  binaryPlatforms.every((platform) => existsSync(binaryFile(platform)))

/**
 * Serves an executable with the code of `hctl`. gzip files can be concatenated, so the code is compressed alone and
 * follows the file, which is too large to be kept in memory.
 */
export function serveBinary(
  file: string,
  { name, makeCode }: { name: string; makeCode: () => Buffer },
): RequestHandler {
  let prepared: Promise<Prepared> | undefined
  return async (req, res) => {
    if (!existsSync(file)) throw notBuilt()
    prepared ??= prepare(file, makeCode())
    const { tail, etag, bytes } = await prepared
    res.setHeader('ETag', etag)
    res.setHeader('Content-Type', 'application/gzip')
    res.setHeader('Cache-Control', 'no-cache')
    res.setHeader('Content-Disposition', `attachment; filename="${name}"`)
    if (req.fresh) {
      res.status(304).end()
      return
    }
    res.setHeader('Content-Length', bytes)
    // A client that goes away ends it early.
    if (req.method === 'HEAD') res.end()
    else await pipeline(contentOf(file, tail), res).catch(() => res.destroy())
  }
}

const notBuilt = (): Problem =>
  new Problem('not_found', {
    detail:
      'This service does not have the executables of its command line. Use hctl.tgz or hctl.mjs.',
  })

interface Prepared {
  /** The compressed code, with its length. */
  readonly tail: Buffer
  readonly etag: string
  readonly bytes: number
}

async function prepare(file: string, code: Buffer): Promise<Prepared> {
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(code.length))
  const tail = gzipSync(Buffer.concat([code, length]))
  const hash = createHash('sha256')
  for await (const chunk of contentOf(file, tail)) hash.update(chunk)
  return {
    tail,
    etag: `"${hash.digest('base64url')}"`,
    bytes: statSync(file).size + tail.length,
  }
}

async function* contentOf(file: string, tail: Buffer): AsyncGenerator<Buffer> {
  yield* createReadStream(file) as AsyncIterable<Buffer>
  yield tail
}
