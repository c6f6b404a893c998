import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { root } from './run.ts'

// Writes a picture of every page, at 1,440 and 390 px, with --wide also at 1,920 px, in light and dark, and an index of
// them. The pages are those of the tests that check each with axe; other arguments are passed on to jest.

const folder = `${root}.cache/screenshots`
const suites = [
  'test/panel/screens',
  'test/panel/passkeys',
  'test/docs/browser',
  'apps/worker/test/operators/screens',
]

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const isWide = process.argv.includes('--wide')
const chosen = process.argv.slice(2).filter((argument) => argument !== '--wide')
const { status } = spawnSync('npm', ['test', '--', ...(chosen.length > 0 ? chosen : suites)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, SCREENSHOTS: isWide ? 'wide' : '1' },
})
const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'))
writeFileSync(`${folder}/index.html`, indexOf(pictures))
process.stdout.write(`${pictures.length} pictures: ${folder}/index.html\n`)
process.exitCode = status ?? 1

/** A page with the pictures, one row per page of the product. */
function indexOf(names: readonly string[]): string {
  const pages = Map.groupBy(names.toSorted(), (name) => name.replace(/-(\d+|light|dark)-.*/, ''))
  const rows = [...pages].map(
    ([page, files]) =>
      `<h2>${page}</h2><div>${files.map((file) => `<a href="${file}"><img src="${file}" alt="${file}" title="${file}" loading="lazy"></a>`).join('')}</div>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title>
<style>body{font:14px system-ui;margin:2rem}div{display:flex;gap:1rem;align-items:start;overflow:auto}img{height:24rem;border:1px solid #8888}</style>
${rows.join('\n')}</html>
`
}
