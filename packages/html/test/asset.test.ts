import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { readAsset, readScript, readStyle } from '../src/asset.ts'

const base = ['elements', 'cards', 'badges', 'tables'].map(
  (name) => new URL(`../assets/base/${name}.css`, import.meta.url),
)
const own = new URL('../assets/operators.css', import.meta.url)

test('a style sheet begins with the font and the base styles', () => {
  const { content, font, others } = readStyle('/assets/own.css', own)
  const texts = [...base, own].map((file) => readFileSync(file, 'utf8'))
  expect(content.toString()).toContain(`url('${font.url}')`)
  expect(content.toString().endsWith(texts.join(''))).toBe(true)
  expect(font.url).toMatch(/^\/assets\/inter\.[0-9a-f]{16}\.woff2$/)
  expect(font.content.length).toBeLessThan(60_000)
  for (const { url } of others) expect(content.toString()).toContain(url)
  expect(others.at(-1)!.content.toString()).toContain('SIL OPEN FONT LICENSE Version 1.1')
})

test('the URL of an asset contains its hash', () => {
  const { url } = readAsset('/assets/own.css', own)
  expect(url).toMatch(/^\/assets\/own\.[0-9a-f]{16}\.css$/)
  expect(readAsset('/assets/own.css', own).url).toBe(url)
  expect(readAsset('/assets/own.css', base[0]!).url).not.toBe(url)
})

test('the modules of a script are combined into one, without imports and exports', () => {
  const folder = '../../../apps/api/assets/panel/'
  const files = ['time', 'live'].map((name) => new URL(`${folder}${name}.js`, import.meta.url))
  const text = readScript('/assets/own.js', ...files).content.toString()
  expect(text).toMatch(/^function localizeTimes\(/m)
  expect(text).not.toMatch(/^(import|export) /m)
})
