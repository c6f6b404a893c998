import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { root } from '../../tools/run.ts'

const contributing = readFileSync(`${root}CONTRIBUTING.md`, 'utf8')

/** The rows of "Private members": a package with the version that was checked, and the file that uses its members. */
const rows = [
  ...contributing.matchAll(/^\| `(@?[\w/-]+)@(\d[\w.-]*)` +\| `([^`]+)` +\| (.+?) +\|/gm),
].map(([, name, version, file, members]) => ({
  name: name!,
  version: version!,
  file: file!,
  members: members!,
}))

const require = createRequire(import.meta.url)

test('every package whose private members we use has the version that was checked', () => {
  expect(rows.length).toBeGreaterThan(5)
  const installed = rows.map(({ name }) => {
    const path = `${root}node_modules/${name}/package.json`
    return `${name}@${(require(path) as { version: string }).version}`
  })
  expect(installed).toEqual(rows.map(({ name, version }) => `${name}@${version}`))
})

test('the files that CONTRIBUTING.md names use these members', () => {
  const missing = rows.flatMap(({ file, members }) => {
    const text = readFileSync(root + file, 'utf8')
    const names = [...members.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!.split('.').at(-1)!)
    return names.filter((name) => !text.includes(name)).map((name) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
})
