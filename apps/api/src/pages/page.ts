import { createHash } from 'node:crypto'
import type { RequestHandler } from 'express'
import { sendHtml, type PagePolicy } from '../http/html.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif }
body { max-width: 58rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
h1 { font-size: 1.7rem } h2 { margin-top: 3rem } h3 { margin: 2.5rem 0 .25rem; font-size: 1.05rem } h4 { margin: 1rem 0 0 }
summary { cursor: pointer; padding: .25rem 0 }
a { color: light-dark(#0b57d0, #8ab4f8) }
code, pre { font: .9em ui-monospace, monospace }
code { background: light-dark(#f1f3f5, #24272b); padding: .1em .3em; border-radius: .25em }
table { border-collapse: collapse; width: 100%; margin: .75rem 0 }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid light-dark(#ddd, #3a3d42) }
.method { font: 700 .8rem ui-monospace, monospace; padding: .15rem .45rem; border-radius: .3em; background: light-dark(#e3edff, #1f3354) }
.quiet { color: light-dark(#5a6066, #a0a6ac) }
nav ul { columns: 2; padding-left: 1.2rem }
@media (max-width: 40rem) { nav ul { columns: 1 } table { display: block; overflow-x: auto } }
`

const policy: PagePolicy = {
  loads: [`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`],
  formAction: "'none'",
}

/** A piece of HTML that is safe to send: made by {@link html} alone. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | readonly Part[]

/** The policy's hash is that of exactly this text: white space counts. */
const styleElement = new Html(`<style>${style}</style>`)

/** A template whose values are escaped unless they are HTML already. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(render)))
}

/** Text with its `code` in backticks marked up. */
export const prose = (text: string): Html =>
  new Html(
    text
      .split('`')
      .map((piece, index) => (index % 2 === 1 ? `<code>${escape(piece)}</code>` : escape(piece)))
      .join(''),
  )

/**
 * Serves a readable page under a policy that lets nothing in but its own style. It is the same for everybody:
 * it is made once, and its bytes are shared by those who are slow to take them.
 */
export function servePage(title: string, content: Html): RequestHandler {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Hosting Control API</title>
        ${styleElement}
      </head>
      <body>
        ${content}
      </body>
    </html> `
  const bytes = Buffer.from(page.text)
  return (_req, res) => sendHtml(res, bytes, policy)
}

function render(part: Part): string {
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(render).join('') : escape(String(part))
}

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
