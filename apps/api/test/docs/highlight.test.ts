import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { highlightCode, highlightJson } from '../../src/highlight.ts'

const block = (language: string, code: string): string =>
  `<pre><code class="language-${language}">${code}</code></pre>`

/** The text that a reader sees and copies. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&')

describe('highlighted code', () => {
  test.each([
    ['sh', 'export HCTL_URL=https://panel.example.com # yours', 'h-comment'],
    ['ts', "const sent: string = 'a'", 'h-keyword'],
    ['python', 'from hosting_sdk import Client', 'h-keyword'],
    ['php', '&lt;?php echo &quot;a&quot;;', 'h-string'],
    ['go', 'func main() {}', 'h-keyword'],
    ['ruby', 'require &#39;openssl&#39;', 'h-string'],
    ['json', '{&quot;id&quot;: 1}', 'h-attr'],
    ['yaml', 'on: push', 'h-attr'],
    ['http', 'POST /in HTTP/1.1', 'h-keyword'],
    ['sql', 'select 1', 'h-keyword'],
  ])('%s has classes, and the same text', (language, code, className) => {
    const html = highlightCode(block(language, code))
    expect(html).toContain(`<span class="${className}">`)
    expect(textOf(html)).toBe(textOf(code))
  })

  test('what looks like HTML in code stays text', () => {
    const html = highlightCode(block('ts', "const a = '&lt;script&gt;alert(1)&lt;/script&gt;'"))
    expect(html).not.toContain('<script')
    expect(textOf(html)).toContain('<script>alert(1)</script>')
  })

  test('a block without a known language, and everything else, is left as it is', () => {
    const page = `<p>language-ts</p>${block('text', 'const')}<pre><code>const</code></pre>`
    expect(highlightCode(page)).toBe(page)
  })

  test('JSON has the same text and no markup of its own, and is left as it is if it is long', () => {
    const json = JSON.stringify({ name: `</code><img src=x onerror="a('&amp;')">`, of: [1, null] })
    const html = highlightJson(json)!
    expect(html).toContain('<span class="h-attr">"name"</span>')
    expect(html).not.toContain('<img')
    expect(textOf(html)).toBe(json)
    expect(highlightJson(JSON.stringify('x'.repeat(50_000)))).toBeUndefined()
  })

  test('the style sheet has a color for every class, as the policy forbids inline styles', () => {
    const css = readFileSync(new URL('../../assets/highlight.css', import.meta.url), 'utf8')
    const code = 'class A { m(b = 1) { return /x/.test(`${b}`) && true } } // c'
    const html = highlightCode(block('ts', code))
    expect(html).not.toContain('style=')
    const classes = [...html.matchAll(/class="(h-\w+)/g)].map(([, name]) => name!)
    expect(classes.length).toBeGreaterThan(8)
    for (const name of classes) expect(css).toContain(`.${name}`)
  })
})
