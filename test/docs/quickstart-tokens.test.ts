import { beforeAll, describe, expect } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { needing, succeeds, type Command } from '../support/needing.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { paddedTokens, secretPart, unsendableTokens } from '../support/unsendable-tokens.ts'

const root = join(import.meta.dirname, '../..')
const program = (path: string): string => join(root, 'docs/quickstart', path)
const goProgram = join(makeTemporaryFolder(), 'create')

/** What people have in `HCTL_TOKEN` after they have read it from a file, or copied it. */
const tokens = [
  paddedTokens['a line break at the end']!,
  paddedTokens['a line break of Windows at the end']!,
  ...['a second line', 'quotation marks', 'a zero width space', 'letters beyond one byte'].map(
    (what) => unsendableTokens[what]![0],
  ),
]

/** The programs of the quickstarts that send the token, with a command that succeeds if the language is installed. */
const programs: readonly (readonly [language: string, check: Command, run: Command])[] = [
  ['curl', ['curl', '--version'], ['bash', program('curl/create-endpoint.sh')]],
  ['Go', ['go', 'version'], [goProgram]],
  [
    'Node',
    [process.execPath, '--version'],
    [process.execPath, program('typescript/create-endpoint.ts')],
  ],
  ['PHP', ['php', '--version'], ['php', program('php/create-endpoint.php')]],
  ['Python', ['python3', '--version'], ['python3', program('python/create_endpoint.py')]],
]

describe.each(programs)('the quickstart for %s', (language, check, [command, ...args]) => {
  const { test } = needing(language, succeeds(check))
  beforeAll(() => {
    if (command !== goProgram || !succeeds(check)) return
    const built = spawnSync(check[0], ['build', '-o', goProgram, 'main.go'], {
      cwd: program('go/create'),
    })
    expect(built.stderr.toString()).toBe('')
  })

  test('prints no part of a token that cannot be sent', () => {
    for (const token of tokens) {
      const { stdout, stderr, status } = spawnSync(command, args, {
        encoding: 'utf8',
        env: {
          ...process.env,
          // Nothing listens there.
          HCTL_URL: 'http://127.0.0.1:9',
          HCTL_TOKEN: token,
          WEBHOOK_URL: 'https://hooks.example.test/',
          PYTHONPATH: join(root, 'clients/python'),
        },
      })
      expect(status).not.toBe(0)
      expect(`${stdout}${stderr}`).not.toBe('')
      expect(`${stdout}${stderr}`).not.toContain(secretPart.slice(0, 8))
    }
  })
})
