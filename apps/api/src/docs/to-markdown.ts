import { Fragment, type ComponentChildren, type VNode } from 'preact'

/** Where a link of a page leads in its Markdown. */
type ResolveHref = (href: string) => string

/** The content of a page as Markdown. It knows the elements that the documentation's pages use. */
export function toMarkdown(content: ComponentChildren, resolveHref: ResolveHref): string {
  const text = new MarkdownWriter(resolveHref).write(content)
  return `${text
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

type Properties = Readonly<Record<string, unknown>> & { readonly children?: ComponentChildren }

const headings: ReadonlyMap<unknown, string> = new Map([
  ['h1', '#'],
  ['h2', '##'],
  ['h3', '###'],
  ['h4', '####'],
])

/** Elements without a text of their own. */
const omitted: ReadonlySet<unknown> = new Set(['button', 'form', 'caption', 'link', 'script'])

const inline: ReadonlySet<unknown> = new Set(['span', 'em', 'small'])

class MarkdownWriter {
  readonly #resolveHref: ResolveHref

  constructor(resolveHref: ResolveHref) {
    this.#resolveHref = resolveHref
  }

  write(node: ComponentChildren): string {
    if (node === null || node === undefined || typeof node === 'boolean') return ''
    if (Array.isArray(node)) return node.map((child) => this.write(child)).join('')
    if (typeof node !== 'object') return String(node)
    const { type, props } = node as VNode<Properties>
    if (type === Fragment) return this.write(props.children)
    if (typeof type === 'function') {
      return this.write((type as (given: Properties) => ComponentChildren)(props))
    }
    return this.#element(type, props)
  }

  #element(type: string, props: Properties): string {
    if (omitted.has(type)) return ''
    if (type === 'table') return this.#table(props)
    if (type === 'ol') return this.#numbered(props)
    if (type === 'pre')
      return `\n\n\`\`\`${languageOf(props.children)}\n${plainText(props.children).trimEnd()}\n\`\`\`\n\n`
    if (type === 'code') return `\`${plainText(props.children)}\``
    const text = this.write(props.children)
    const heading = headings.get(type)
    if (heading !== undefined) return `\n\n${heading} ${text}\n\n`
    if (type === 'a') return `[${text.trim()}](${this.#resolveHref(String(props['href']))})`
    if (type === 'strong' || type === 'dt') return `**${text}**${type === 'dt' ? ': ' : ''}`
    if (type === 'summary') return `\n\n**${text.replaceAll('**', '')}**\n\n`
    if (type === 'li') return itemOf('-', text)
    return inline.has(type) ? text : `\n\n${text}\n\n`
  }

  #numbered(props: Properties): string {
    const items = elementsOf(props.children, 'li').map((item, index) =>
      itemOf(`${index + 1}.`, this.write(item.props.children)),
    )
    return `\n\n${items.join('')}\n\n`
  }

  #table(props: Properties): string {
    const rows = elementsOf(props.children, 'tr').map((row) =>
      [...elementsOf(row.props.children, 'th'), ...elementsOf(row.props.children, 'td')].map(
        (cell) => this.write(cell.props.children).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|'),
      ),
    )
    const [head = [], ...others] = rows
    const lines = [head, head.map(() => '---'), ...others]
    return `\n\n${lines.map((cells) => `| ${cells.map((cell) => cell.trim()).join(' | ')} |`).join('\n')}\n\n`
  }
}

/** An item of a list. Its further lines are indented, so that they belong to it. */
const itemOf = (marker: string, text: string): string => {
  const indent = ' '.repeat(marker.length + 1)
  return `${marker} ${text.trim().replaceAll(/\n(?=[^\n])/g, `\n${indent}`)}\n`
}

/** The elements of a type within a tree of elements. */
function elementsOf(node: ComponentChildren, wanted: string): VNode<Properties>[] {
  if (Array.isArray(node)) return node.flatMap((child) => elementsOf(child, wanted))
  if (typeof node !== 'object' || node === null) return []
  const element = node as VNode<Properties>
  return element.type === wanted ? [element] : elementsOf(element.props.children, wanted)
}

/** The language of a block of code. */
const languageOf = (node: ComponentChildren): string => {
  const [code] = elementsOf(node, 'code')
  return /language-(\w+)/.exec(String(code?.props['class']))?.[1] ?? ''
}

const plainText = (node: ComponentChildren): string => {
  if (Array.isArray(node)) return node.map(plainText).join('')
  if (typeof node === 'object' && node !== null) {
    return plainText((node as VNode<Properties>).props.children)
  }
  return node === undefined || node === null || typeof node === 'boolean' ? '' : String(node)
}
