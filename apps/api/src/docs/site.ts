import type { RequestHandler } from 'express'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Brand } from '../brand.ts'
import { fillServiceSlot } from './service-slot.ts'

/** A guide as `npm run build` renders it from a document of the repository. */
export interface Guide {
  readonly title: string
  readonly html: string
  readonly markdown: string
  readonly contents: readonly { readonly id: string; readonly text: string }[]
}

const fileOf = (name: string): URL => new URL(`../../dist/site/${name}`, import.meta.url)

/** Who reads the documentation of a port. */
export type Audience = 'customers' | 'platform'

/**
 * Reads the guides of an audience by their paths.
 *
 * @throws Error if the documentation has not been built.
 */
export function readGuides(audience: Audience): Readonly<Record<string, Guide>> {
  const file = fileOf('pages.json')
  if (!existsSync(file)) throw new Error(`${file.pathname} is missing: run npm run build.`)
  const guides = JSON.parse(readFileSync(file, 'utf8')) as Record<Audience, Record<string, Guide>>
  return guides[audience]
}

/** The files of `/downloads` and their media types. */
const downloads = {
  'sdk.tgz': 'application/gzip',
  'verify_webhook.py': 'text/x-python; charset=utf-8',
  'verify_webhook.php': 'text/plain; charset=utf-8',
  'verify_webhook.go': 'text/plain; charset=utf-8',
} as const

/** The downloads of the internal port. */
const internalDownloads = { 'platform-sdk.tgz': 'application/gzip' } as const

/** Serves the downloads for the platform's engineers. */
export const internalDownloadHandlers = (): Readonly<Record<string, RequestHandler>> =>
  Object.fromEntries(
    Object.entries(internalDownloads).map(([name, type]) => [
      `/downloads/${name}`,
      sendFile(`downloads/${name}`, { type, isAttachment: true }),
    ]),
  )

/** The downloads that name the headers of deliveries. They are sent with the configured names. */
const renamed: ReadonlySet<string> = new Set(
  ['py', 'php', 'go'].map((extension) => `verify_webhook.${extension}`),
)

/** Serves each download at its path. Browsers save the file instead of showing it. */
export const downloadHandlers = (
  { rename }: Brand,
  publicUrl: string,
): Readonly<Record<string, RequestHandler>> => ({
  ...Object.fromEntries(
    Object.entries(downloads).map(([name, type]) => [
      `/downloads/${name}`,
      renamed.has(name)
        ? sendText(name, { type, rename })
        : sendFile(`downloads/${name}`, { type, isAttachment: true }),
    ]),
  ),
  '/downloads/hctl.mjs': sendHctl('hctl.mjs', publicUrl),
  '/downloads/hctl.tgz': sendHctl('hctl.tgz', publicUrl),
  ...wheelHandlers(),
})

/** The client for Python. pip takes the version from the name of the file, so a name without it redirects. */
function wheelHandlers(): Readonly<Record<string, RequestHandler>> {
  const wheel = readdirSync(fileOf('downloads')).find((name) => name.endsWith('.whl'))
  if (wheel === undefined) throw new Error('The wheel is missing: run npm run build.')
  return {
    [`/downloads/${wheel}`]: sendFile(`downloads/${wheel}`, {
      type: 'application/zip',
      isAttachment: true,
    }),
    '/downloads/hosting_sdk.whl': (_req, res) => {
      res.setHeader('Cache-Control', 'no-cache')
      res.redirect(302, `/downloads/${wheel}`)
    },
  }
}

/** Serves `hctl` with the URL of this service in it. The content is made when it is first requested. */
function sendHctl(name: 'hctl.mjs' | 'hctl.tgz', publicUrl: string): RequestHandler {
  let served: { readonly content: Buffer; readonly etag: string } | undefined
  const isArchive = name === 'hctl.tgz'
  return (_req, res) => {
    served ??= readHctl(name, publicUrl)
    res.setHeader('ETag', served.etag)
    res.setHeader('Content-Type', isArchive ? 'application/gzip' : 'text/javascript; charset=utf-8')
    res.setHeader('Cache-Control', 'no-cache')
    res.setHeader('Content-Disposition', `attachment; filename="${name}"`)
    res.send(served.content)
  }
}

function readHctl(name: 'hctl.mjs' | 'hctl.tgz', publicUrl: string) {
  const built = readFileSync(fileOf(`downloads/${name}`))
  const content =
    name === 'hctl.mjs'
      ? fillServiceSlot(built, publicUrl)
      : gzipSync(fillServiceSlot(gunzipSync(built), publicUrl))
  return { content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` }
}

function sendText(
  name: string,
  { type, rename }: { readonly type: string; readonly rename: Brand['rename'] },
): RequestHandler {
  const content = Buffer.from(rename(readFileSync(fileOf(`downloads/${name}`), 'utf8')))
  return (_req, res) => {
    res.setHeader('Content-Type', type)
    res.setHeader('Cache-Control', 'no-cache')
    res.setHeader('Content-Disposition', `attachment; filename="${name}"`)
    res.send(content)
  }
}

/** Serves the test vectors of webhook signatures. */
export const sendVectors: RequestHandler = sendFile('vectors.json', { type: 'application/json' })

/** Serves a file that the build has written. Clients may cache it, and must revalidate it. */
function sendFile(
  name: string,
  { type, isAttachment = false }: { readonly type: string; readonly isAttachment?: boolean },
): RequestHandler {
  const { pathname } = fileOf(name)
  return (_req, res, next) => {
    res.setHeader('Content-Type', type)
    res.setHeader('Cache-Control', 'no-cache')
    if (isAttachment) {
      const fileName = name.slice(name.lastIndexOf('/') + 1)
      res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`)
    }
    res.sendFile(pathname, { cacheControl: false, dotfiles: 'allow' }, (error) => {
      if (error && !res.headersSent) next(error)
    })
  }
}
