import type { RequestHandler } from 'express'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Brand } from '../../brand.ts'
import { siteFile } from '../site.ts'
import { binaryFile, binaryPlatforms, serveBinary } from './binaries.ts'
import { packNpm, packWheel, serviceUrlMarker, wheelNameOf } from './packages.ts'

/** A file and its media type. */
interface ServedFile {
  readonly type: string
  readonly make: () => Buffer
}

type Handler = [path: string, handler: RequestHandler]
type Handlers = Readonly<Record<string, RequestHandler>>

/** Serves each download for customers, under its default name and under that of the brand. */
export const downloadHandlers = (brand: Brand, publicUrl: string): Handlers =>
  Object.fromEntries([
    ...Object.entries(customerDownloads(brand, publicUrl)).flatMap(([name, download]) =>
      serveAs([name, brand.renameCode(name)], download),
    ),
    ...wheelHandlers(brand),
    ...binaryHandlers(brand, publicUrl),
  ])

/** Serves the downloads for the platform's engineers. */
export const internalDownloadHandlers = (): Handlers =>
  Object.fromEntries(
    serveAs(['platform-sdk.tgz'], {
      type: gzip,
      make: () => packNpm(siteFile('packages/platform-sdk'), (text) => text),
    }),
  )

const gzip = 'application/gzip'

function customerDownloads(brand: Brand, publicUrl: string): Readonly<Record<string, ServedFile>> {
  const { rename, renameCode } = brand
  const renameClient = (text: string): string =>
    renameCode(text).replaceAll(serviceUrlMarker, publicUrl)
  const client = siteFile('packages/hctl')
  const verifier = (extension: string, type: string): ServedFile => ({
    type,
    make: () =>
      Buffer.from(rename(readFileSync(siteFile(`downloads/verify_webhook.${extension}`), 'utf8'))),
  })
  return {
    'hctl.tgz': { type: gzip, make: () => packNpm(client, renameClient) },
    'hctl.mjs': {
      type: 'text/javascript; charset=utf-8',
      make: () => Buffer.from(renameClient(readFileSync(`${client}/hctl.mjs`, 'utf8'))),
    },
    'sdk.tgz': { type: gzip, make: () => packNpm(siteFile('packages/sdk'), renameCode) },
    'verify_webhook.py': verifier('py', 'text/x-python; charset=utf-8'),
    'verify_webhook.php': verifier('php', 'text/plain; charset=utf-8'),
    'verify_webhook.go': verifier('go', 'text/plain; charset=utf-8'),
  }
}

/** `hctl` as an executable for each platform, compressed. */
function binaryHandlers({ renameCode }: Brand, publicUrl: string): Handler[] {
  const makeCode = once(() =>
    Buffer.from(
      renameCode(readFileSync(siteFile('binaries/hctl.cjs'), 'utf8')).replaceAll(
        serviceUrlMarker,
        publicUrl,
      ),
    ),
  )
  return binaryPlatforms.flatMap((platform) => {
    const name = `hctl-${platform}.gz`
    return [name, renameCode(name)].map((each): Handler => [
      `/downloads/${each}`,
      serveBinary(binaryFile(platform), { name: each, makeCode }),
    ])
  })
}

/** The client for Python. pip takes the version from the name of the file, so a name without it redirects. */
function wheelHandlers({ renameCode }: Brand): Handler[] {
  const folder = siteFile('packages/python')
  const name = renameCode(wheelNameOf(folder))
  const redirect: RequestHandler = (_req, res) => {
    res.setHeader('Cache-Control', 'no-cache')
    res.redirect(302, `/downloads/${name}`)
  }
  return [
    ['/downloads/hosting_sdk.whl', redirect],
    [`/downloads/${renameCode('hosting_sdk.whl')}`, redirect],
    ...serveAs([name], { type: 'application/zip', make: () => packWheel(folder, renameCode) }),
  ]
}

/** Serves a download under its names. It is made once for all of them. */
function serveAs(names: readonly string[], { type, make }: ServedFile): Handler[] {
  const file = { type, make: once(make) }
  return names.map((name) => [`/downloads/${name}`, serveFile(file, name)])
}

/** A function that is called when its result is first needed. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/**
 * Serves a file that is made when it is first requested. Clients may cache it, and must revalidate it.
 *
 * @param name - the name under which browsers save the file instead of showing it.
 */
export function serveFile({ type, make }: ServedFile, name?: string): RequestHandler {
  const read = once(() => withEtag(make()))
  return (_req, res) => {
    const { content, etag } = read()
    res.setHeader('ETag', etag)
    res.setHeader('Content-Type', type)
    res.setHeader('Cache-Control', 'no-cache')
    if (name !== undefined) res.setHeader('Content-Disposition', `attachment; filename="${name}"`)
    res.send(content)
  }
}

const withEtag = (content: Buffer) => ({
  content,
  etag: `"${createHash('sha256').update(content).digest('base64url')}"`,
})
