// `node tools/check-package.ts`: checks that the packed SDK matches its package.json, for Node and for every
// module resolution mode of TypeScript in an ES module.
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { root } from './run.ts'

const pkgDir = `${root}packages/sdk`
const tarball = pack()
const faults = [...(await findPublishFaults()), ...(await findTypeFaults())]
if (faults.length > 0) process.stderr.write(`${faults.join('\n')}\n`)
process.exitCode = faults.length > 0 ? 1 : 0

function pack(): Uint8Array<ArrayBuffer> {
  const target = mkdtempSync(join(tmpdir(), 'hosting-sdk-'))
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', target]
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: pkgDir, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`)
  const printed = JSON.parse(stdout) as Record<string, { filename: string }>
  const [{ filename }] = Object.values(printed) as [{ filename: string }]
  const packed = new Uint8Array(readFileSync(join(target, filename.replace(/^.*\//, ''))))
  rmSync(target, { recursive: true })
  return packed
}

async function findPublishFaults(): Promise<string[]> {
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: tarball.buffer },
  })
  return messages.map((message) => formatMessage(message, pkg) ?? message.code)
}

/** The package is ES modules only: resolution from CommonJS is not checked. */
async function findTypeFaults(): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(tarball))
  if (!result.types) return ['The package has no types.']
  return result.problems
    .filter((problem) => {
      const seenBy = 'resolutionKind' in problem ? problem.resolutionKind : undefined
      return seenBy !== 'node10' && seenBy !== 'node16-cjs'
    })
    .map((problem) => JSON.stringify(problem))
}
