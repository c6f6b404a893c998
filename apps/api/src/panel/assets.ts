import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { notFound } from '@hosting/core'
import type { RequestHandler } from 'express'

/** A file that pages use. Its hash is in its name, so that it may be cached for good. */
interface Asset {
  readonly url: string
  readonly type: string
  readonly content: Buffer
}

function readAsset(name: string, type: string): Asset {
  const content = readFileSync(new URL(`../../assets/${name}`, import.meta.url))
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  return { url: `/assets/${name.replace('.', `.${hash}.`)}`, type, content }
}

export const style = readAsset('panel.css', 'text/css; charset=utf-8')
export const script = readAsset('panel.js', 'text/javascript; charset=utf-8')
export const icon = readAsset('icon.svg', 'image/svg+xml')

const assets = new Map([style, script, icon].map((asset) => [asset.url, asset]))

/** Sends a file by its name with the hash; any other name is unknown. */
export const sendAsset: RequestHandler = (req, res) => {
  const asset = assets.get(req.path)
  if (!asset) throw notFound()
  res.setHeader('Content-Type', asset.type)
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
  res.end(asset.content)
}
