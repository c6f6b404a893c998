import { describe, expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const pages = ['docs/threat-model.md', 'test/README.md']
const { scripts } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
}

/** The rows of the tables whose last column is "Test": the promise, and the tests that show it. */
const promises = pages
  .map(read)
  .join('\n\n')
  .split(/\n\n+/)
  .flatMap((block) => {
    const [head = '', , ...rows] = block.trim().split('\n')
    if (!/\| Test +\|$/.test(head)) return []
    return rows.map((row): [promise: string, tests: string] => {
      const cells = row.split('|').slice(1, -1)
      return [cells.slice(0, -1).join(' ').trim().replaceAll(/ +/g, ' '), cells.at(-1)!]
    })
  })

/** The files of a cell with the titles that it names: `file` “title”, “title”; `file` “title”. */
const readTests = (cell: string): { name: string; titles: string[] }[] =>
  [...cell.matchAll(/`([^`]+)`((?:,? “[^”]+”)*)(?=;| *$)/g)].map(([, name, titles]) => ({
    name: name!,
    titles: [...titles!.matchAll(/“([^”]+)”/g)].map(([, title]) => title!),
  }))

/** What is wrong with a named test; `undefined` if its file, or its script, and its titles exist. */
function findFault({ name, titles }: { name: string; titles: string[] }): string | undefined {
  if (name.startsWith('npm run ')) {
    return Object.hasOwn(scripts, name.slice('npm run '.length))
      ? undefined
      : `${name} is no script`
  }
  const file = ['', 'apps/api/test/']
    .map((folder) => new URL(`${folder}${name}.test.ts`, root))
    .find((url) => existsSync(url))
  if (!file) return `${name} does not exist`
  const text = readFileSync(file, 'utf8').replaceAll("\\'", "'")
  const missing = titles.filter((title) => !isTitle(text, title))
  if (titles.length === 0) return `${name} is named without a title`
  return missing.length > 0 ? `${name} has no test ${missing.join(', ')}` : undefined
}

/** Whether the title is a whole string literal of a test. */
const isTitle = (text: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => {
    const literal = quote + title + quote
    return ['(', '\n  ', '\n    '].some((before) => text.includes(`${before}${literal},`))
  })

describe('every promise of the threat model, and every line about other software, names tests that exist', () => {
  test('the list of promises is read', () => {
    expect(promises.length).toBeGreaterThan(85)
  })

  test.each(promises)('%s', (_promise, cell) => {
    const tests = readTests(cell)
    const rest = tests.reduce((left, { name }) => left.replace(`\`${name}\``, ''), cell)
    expect(rest.replaceAll(/“[^”]+”|[;, ]/g, '')).toBe('')
    expect(tests).not.toEqual([])
    expect(tests.map(findFault).filter((fault) => fault !== undefined)).toEqual([])
  })
})
