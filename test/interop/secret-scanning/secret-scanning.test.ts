import { createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { expect, test } from '@jest/globals'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { root } from '../../../tools/run.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { runProgram, toolchains } from '../support/toolchain.ts'
import { leaks } from './leaks.ts'
import { installDetectSecrets, installGitleaks } from './scanners.ts'

const scanning = `${root}deploy/secret-scanning/`

/** The finding of a scanner. */
interface Finding {
  readonly rule: string
  /** From the folder that was scanned. */
  readonly file: string
}

async function runGitleaks(folder: string): Promise<Finding[]> {
  const programs = await installGitleaks()
  const report = `${makeTemporaryFolder()}/report.json`
  const output = ['--report-format', 'json', '--report-path', report, '--exit-code', '0']
  const config = ['--config', `${scanning}gitleaks.toml`, '--redact']
  await runProgram([`${programs}gitleaks`, 'dir', ...config, ...output, folder])
  const found = JSON.parse(await readFile(report, 'utf8')) as readonly {
    RuleID: string
    File: string
  }[]
  return found.map(({ RuleID, File }) => ({ rule: RuleID, file: relative(folder, File) }))
}

async function runDetectSecrets(folder: string): Promise<Finding[]> {
  const programs = await installDetectSecrets()
  const options = /^detect-secrets scan (.*)$/m.exec(
    await readFile(`${scanning}README.md`, 'utf8'),
  )!
  const documented = options[1]!.replace('deploy/secret-scanning/', scanning).split(' ')
  const printed = await runProgram(
    [`${programs}detect-secrets`, 'scan', '--all-files', ...documented, '.'],
    { cwd: folder },
  )
  const { results } = JSON.parse(printed) as {
    results: Readonly<Record<string, readonly { type: string }[]>>
  }
  return Object.entries(results).flatMap(([file, found]) =>
    found.map(({ type }) => ({ rule: type, file })),
  )
}

/** The files that a rule of ours has findings in. */
const filesOf = (findings: readonly Finding[], rule: string): string[] =>
  [
    ...new Set(findings.filter((each) => each.rule.startsWith(rule)).map(({ file }) => file)),
  ].toSorted()

async function writeLeaks(): Promise<string> {
  const folder = makeTemporaryFolder()
  for (const { name, content } of leaks)
    await writeFile(`${folder}/${name}`, content(formatKeyToken(createKeyToken())))
  return folder
}

const plain = leaks.filter(({ encoded }) => !encoded)

test('there are as many files as the documentation says', async () => {
  const readme = await readFile(`${scanning}README.md`, 'utf8')
  const text = readme.replaceAll(/\s+/g, ' ')
  expect(text).toContain(`the key in each of ${leaks.length} files`)
  expect(text).toContain(`in ${plain.length} of the ${leaks.length} files`)
})

toolchains.go.concurrent('gitleaks finds the key in each of 35 files', async () => {
  const found = filesOf(await runGitleaks(await writeLeaks()), 'hosting-control-api-key')
  expect(found).toEqual(leaks.map(({ name }) => name).toSorted())
})

toolchains.go.concurrent('gitleaks finds nothing in this repository', async () => {
  const folder = makeTemporaryFolder()
  const listed = await runProgram([
    'git',
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  ])
  for (const file of listed.split('\0').filter(Boolean)) {
    // Creates the folders. A link stays a link.
    await cp(`${root}${file}`, `${folder}/${file}`)
  }
  expect(await runGitleaks(folder)).toEqual([])
})

toolchains.python.concurrent(
  'detect-secrets finds the key in each file with a plain key',
  async () => {
    const found = filesOf(await runDetectSecrets(await writeLeaks()), 'Hosting Control')
    expect(found).toEqual(plain.map(({ name }) => name).toSorted())
  },
)
