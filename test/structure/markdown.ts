import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { root } from '../../tools/run.ts'

/** The text without fenced code, whose lines may look like headings or links. */
const withoutCode = (markdown: string): string => markdown.replaceAll(/^```[^]*?^```$/gm, '')

/** GitHub's anchors for a document's headings. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading] of withoutCode(markdown).matchAll(/^#+ (.+)$/gm)) {
    const base = heading!
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = base
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${base}-${number}`
    anchors.add(anchor)
  }
  return anchors
}

/** The targets of a document's links. */
export const linksOf = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)

/**
 * Checks that a link leads to a file of the repository, and to a heading of it if it names one.
 *
 * @param path - the document's path from the repository's root.
 * @returns the problem with the link, or `undefined`.
 */
export function checkLink(path: string, target: string): string | undefined {
  if (/^(https?|mailto):/.test(target)) return undefined
  const [file = '', anchor] = target.split('#')
  const linked = file === '' ? path : posix.join(posix.dirname(path), file)
  if (!existsSync(root + linked)) return `${path}: ${target}: there is no ${linked}`
  if (anchor === undefined) return undefined
  return anchorsOf(readFileSync(root + linked, 'utf8')).has(anchor)
    ? undefined
    : `${path}: ${target}: ${linked} has no heading #${anchor}`
}
