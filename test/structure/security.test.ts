import { describe, expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const security = readFileSync(new URL('SECURITY.md', root), 'utf8')
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: Record<string, string>
}

/** The rows of the tables whose last column is "Shown by": the claim, and its evidence. */
const claims = security.split(/\n\n+/).flatMap((block) => {
  const [head = '', , ...rows] = block.split('\n')
  if (!/\| Shown by +\|$/.test(head)) return []
  return rows.map((row): [claim: string, shownBy: string] => {
    const cells = row.split('|').slice(1, -1)
    return [cells.slice(0, -1).join(' ').trim().replaceAll(/ +/g, ' '), cells.at(-1)!]
  })
})

/** Whether a test file, a folder of tests or a script with the name exists. */
const exists = (name: string, folder: string): boolean =>
  name.startsWith('npm run ')
    ? Object.hasOwn(scripts, name.slice('npm run '.length))
    : ['', 'apps/api/test/', folder].some((base) =>
        ['', '.test.ts'].some((end) => existsSync(new URL(`${base}${name}${end}`, root))),
      )

describe('every claim of SECURITY.md names a test that exists', () => {
  test('there are claims', () => {
    expect(claims.length).toBeGreaterThan(40)
  })

  test.each(claims)('%s', (_claim, shownBy) => {
    const names = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
    expect(names).not.toEqual([])
    let folder = ''
    const missing = names.filter((name) => {
      const found = exists(name, folder)
      if (name.includes('/')) folder = `${name.slice(0, name.lastIndexOf('/'))}/`
      return !found
    })
    expect(missing).toEqual([])
  })
})
