import { notFound } from '@hosting/core/problems'
import {
  articleStyle,
  readAsset,
  readScript,
  readStyle,
  sendAsset,
  type Asset,
} from '@hosting/html'
import type { RequestHandler } from 'express'

const fileOf = (name: string): URL => new URL(`../assets/${name}`, import.meta.url)

/** In cascade order. */
const panelStyles = [
  'shell',
  'me',
  'live-controls',
  'page-header',
  'buttons',
  'lists',
  'toolbar',
  'list',
  'list-columns',
  'list-narrow',
  'audit',
  'forms',
  'scopes',
  'folded',
  'secrets',
  'timeline',
  'deliveries',
  'overview',
  'endpoint',
  'charts',
  'chart-card',
  'histogram',
  'incident',
  'command-menu',
  'bare',
]

const docsStyles = ['docs/layout', 'docs/start', 'docs/content', 'highlight']

/** Each imports only from those before it. */
const panelScripts = [
  'time',
  'filters',
  'charts',
  'live',
  'selection',
  'histogram',
  'events',
  'reconcile',
  'credentials',
  'passkeys',
  'command-menu',
  'shortcuts',
]

export const style = readStyle(
  '/assets/panel.css',
  ...panelStyles.map((name) => fileOf(`panel/${name}.css`)),
  fileOf('highlight.css'),
)
export const docsStyle = readStyle(
  '/assets/docs.css',
  articleStyle,
  ...docsStyles.map((name) => fileOf(`${name}.css`)),
)
export const script = readScript(
  '/assets/panel.js',
  fileOf('panel.js'),
  ...panelScripts.map((name) => fileOf(`panel/${name}.js`)),
)
export const docsScript = readScript('/assets/docs.js', fileOf('docs.js'))
export const icon = readAsset('/assets/icon.svg', fileOf('icon.svg'))

const assets = new Map(
  [style, style.font, ...style.others, docsStyle, script, docsScript, icon].map((asset) => [
    asset.url,
    asset,
  ]),
)

/** Serves assets, and those of the brand, by their hashed names. Any other name is a 404. */
export function serveAssets(ofBrand: readonly (Asset | undefined)[]): RequestHandler {
  const branded = new Map(ofBrand.flatMap((asset) => (asset ? [[asset.url, asset] as const] : [])))
  return (req, res) => {
    const asset = assets.get(req.path) ?? branded.get(req.path)
    if (!asset) throw notFound()
    sendAsset(res, asset)
  }
}
