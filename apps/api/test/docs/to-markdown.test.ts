import { describe, expect, test } from '@jest/globals'
import { h } from 'preact'
import { toMarkdown } from '../../src/docs/to-markdown.ts'

const markdownOf = (content: Parameters<typeof toMarkdown>[0]) =>
  toMarkdown(content, (href) => href)

describe('a list as Markdown', () => {
  test('has bullets', () => {
    const list = h('ul', null, [h('li', null, 'One'), h('li', null, 'Two')])
    expect(markdownOf(list)).toBe('- One\n- Two\n')
  })

  test('is numbered if its order matters', () => {
    const items = Array.from({ length: 10 }, (_, index) => h('li', null, `Step ${index + 1}`))
    const lines = markdownOf(h('ol', null, items))
      .trimEnd()
      .split('\n')
    expect([lines.length, lines[0], lines[9]]).toEqual([10, '1. Step 1', '10. Step 10'])
  })

  test('keeps the blocks of an item within it', () => {
    const code = h('pre', null, h('code', { class: 'language-sh' }, 'one\n\n  two'))
    const item = h('li', null, [h('h3', null, 'Title'), h('p', null, 'Text.'), code])
    expect(markdownOf(h('ol', null, item))).toBe(
      '1. ### Title\n\n   Text.\n\n   ```sh\n   one\n\n     two\n   ```\n',
    )
    expect(markdownOf(h('ul', null, item))).toBe(
      '- ### Title\n\n  Text.\n\n  ```sh\n  one\n\n    two\n  ```\n',
    )
  })

  test('keeps lists within their items, and numbers each by itself', () => {
    const inner = h('ol', null, [h('li', null, 'a'), h('li', null, 'b')])
    const outer = h('ol', null, [h('li', null, ['One', inner]), h('li', null, 'Two')])
    expect(markdownOf(outer)).toBe('1. One\n\n   1. a\n   2. b\n2. Two\n')
  })
})
