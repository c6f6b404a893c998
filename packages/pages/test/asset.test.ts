import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { readAsset, readStyle } from '../src/asset.ts'

const base = new URL('../assets/base.css', import.meta.url)
const own = new URL('../../../apps/worker/assets/operators.css', import.meta.url)

test('a style sheet begins as all do, and goes on with its own', () => {
  const { content } = readStyle('/assets/own.css', own)
  expect(content.toString()).toBe(readFileSync(base, 'utf8') + readFileSync(own, 'utf8'))
})

test('an asset is named by what it holds', () => {
  const { url } = readAsset('/assets/own.css', own)
  expect(url).toMatch(/^\/assets\/own\.[0-9a-f]{16}\.css$/)
  expect(readAsset('/assets/own.css', own).url).toBe(url)
  expect(readAsset('/assets/own.css', base).url).not.toBe(url)
})
