import { readStyle, renderDocument, Table } from '@hosting/pages'
import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { h } from 'preact'

const base = new URL('../assets/base.css', import.meta.url)
const own = new URL('../../../apps/worker/assets/operators.css', import.meta.url)
const style = readStyle('/assets/own.css', own)

describe('a document', () => {
  const evil = `<script>alert("1")</script>&`
  const shown = '&lt;script>alert(&quot;1&quot;)&lt;/script>&amp;'

  test('escapes every text, in its title, in attributes and in tables', () => {
    const table = {
      caption: evil,
      columns: [{ name: evil, show: (row: string) => row }],
      rows: [evil],
      keyOf: (row: string) => row,
    }
    const html = renderDocument({
      title: evil,
      style,
      body: h('main', { title: evil }, Table(table)),
    })
    expect(html).toMatch(/^<!doctype html><html lang="en">/)
    expect(html).not.toContain('<script')
    expect(html.split(shown)).toHaveLength(1 + 6)
  })

  test('asks for no icon if it has none', () => {
    const html = renderDocument({ title: 'One', style, body: 'text' })
    expect(html).toContain('<link rel="icon" href="data:,"/>')
    expect(html).toContain(`<link rel="stylesheet" href="${style.url}"/>`)
  })
})

describe('a style sheet', () => {
  test('begins as all do, goes on with its own, and is named by what it holds', () => {
    expect(style.content.toString()).toBe(readFileSync(base, 'utf8') + readFileSync(own, 'utf8'))
    expect(style.url).toMatch(/^\/assets\/own\.[0-9a-f]{16}\.css$/)
    expect(readStyle('/assets/own.css', base).url).not.toBe(style.url)
  })
})
