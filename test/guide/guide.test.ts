import { settings } from '@hosting/core/configuration'
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

test('the guide lists the default retry delays', () => {
  const { fallback } = settings.retryDelaysMs
  expect(fallback).toBe('60,300,1800,7200,21600,43200')
  expect(guide).toContain('after 1 min, 5 min, 30 min, 2 h, 6 h and 12 h')
})
