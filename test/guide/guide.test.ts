import { errorClasses } from '@hosting/core/webhooks'
import { expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'

const guide = readFileSync(`${root}docs/webhooks.md`, 'utf8')

test('the guide contains the tested code', () => {
  const snippets = readdirSync(`${root}docs/webhooks`).filter((file) => file.startsWith('verify.'))
  expect(snippets).toHaveLength(5)
  for (const file of snippets) {
    expect(guide).toContain(readFileSync(`${root}docs/webhooks/${file}`, 'utf8'))
  }
})

test('the guide says what to do about every error class', () => {
  const rows = [...guide.matchAll(/^\| `(\w+)` +\| .+ \| .+ \|$/gm)].map(([, name]) => name)
  expect(rows).toEqual(expect.arrayContaining([...errorClasses]))
})
