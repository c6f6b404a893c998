// `npm run check`: the checks that every commit must pass, as one list of steps.
import { spawn } from 'node:child_process'
import { root } from './run.ts'

/** The steps of a group run in parallel; the groups run in order. */
const groups: readonly (readonly [name: string, command: string])[][] = [
  [['builds and type-checks', 'node tools/build.ts && tsc -b']],
  [
    ['format', 'oxfmt --check'],
    ['lint, type-aware', 'oxlint --deny-warnings'],
    ['nothing unused', 'knip'],
    ['generated files are current', 'node tools/generate.ts --check'],
    ['Prisma schema', 'prisma validate'],
    ['the SDK can be published', 'node tools/check-package.ts'],
    ['licenses are allowed', 'node tools/licenses.ts'],
    ['the bill of materials is complete', 'node tools/sbom.ts'],
  ],
]

let failed = 0
for (const group of groups) {
  const results = await Promise.all(group.map(([name, command]) => runStep(name, command)))
  failed += results.filter((passed) => !passed).length
}
process.stdout.write(failed === 0 ? 'check passed\n' : `check failed: ${failed} step(s)\n`)
process.exitCode = failed === 0 ? 0 : 1

function runStep(name: string, command: string): Promise<boolean> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { cwd: root })
    const printed: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => printed.push(text))
    }
    child.once('close', (code) => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
      if (code !== 0) process.stdout.write(`${printed.join('').trimEnd()}\n`)
      resolve(code === 0)
    })
  })
}
