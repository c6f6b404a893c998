import { beforeAll, describe, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { documentOf, makeMachine } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
let keyId: string
let webhookId: string

beforeAll(async () => {
  const words = ['keys', 'create', '--name', 'ci key', '--scope', '*:read', '--json']
  keyId = documentOf(await user.hctl(words)).key.id
  const create = 'webhooks create --url http://127.0.0.1:9/hook --event-type site.* --json'
  webhookId = documentOf(await user.hctl(create)).webhook.id
})

/** The candidates for the last word of the line. */
async function complete(line: string): Promise<string[]> {
  const { stdout, code } = await user.hctl(['complete', '--', ...line.split(' ')])
  expect(code).toBe(0)
  return stdout.split('\n').flatMap((text) => text.split('\t')[0] || [])
}

describe('hctl complete', () => {
  test('completes groups, commands and options', async () => {
    const first = await complete('')
    expect(first).toEqual(expect.arrayContaining(['login', 'keys', 'listen']))
    expect(first).not.toContain('complete')
    expect(await complete('--json keys r')).toEqual(['rotate', 'revoke'])
    expect(await complete('keys rotate abc --')).toEqual([
      '--grace',
      '--json',
      '--profile',
      '--server',
      '--help',
    ])
    expect(await complete('login --no-')).toEqual(['--no-browser', '--no-insecure-storage'])
  })

  test.each([
    ['deliveries list --status d', ['delivered', 'dead']],
    ['keys list --kind ', ['personal', 'organization']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['keys create --name webhooks --scope webh', ['webhooks:read', 'webhooks:write']],
    ['keys create --scope sites:read,webhooks:w', ['sites:read,webhooks:write']],
    [
      'webhooks create --event-type backup.',
      ['backup.*', 'backup.completed', 'backup.failed', 'backup.restored'],
    ],
    ['webhooks test abc --event-type alert.f', ['alert.firing']],
    ['--profile d', ['default']],
    ['--profile default profiles use d', ['default']],
  ])('completes the values of "%s"', async (line, expected) => {
    expect(await complete(line)).toEqual(expected)
  })

  test('completes ids, with names as descriptions', async () => {
    expect(await complete('keys show ')).toContain(keyId)
    expect(await complete('webhooks delete ')).toEqual([webhookId])
    expect(await complete('deliveries list --webhook ')).toEqual([webhookId])
    const { stdout } = await user.hctl(['complete', '--', 'keys', 'show', keyId.slice(0, 6)])
    expect(stdout).toBe(`${keyId}\tci key\n`)
  })

  test('completes the ids of keys that are not active, with their status', async () => {
    const make = async (name: string) =>
      documentOf(await user.hctl(['keys', 'create', '--name', name, '--scope', '*:read', '--json']))
        .key.id as string
    const [disabled, revoked] = [await make('paused'), await make('old')]
    await user.hctl(['keys', 'update', disabled, '--no-enabled'])
    await user.hctl(['keys', 'revoke', revoked, '--yes'])
    expect(await complete('keys update ')).toContain(disabled)
    const { stdout } = await user.hctl(['complete', '--', 'keys', 'revoke', disabled])
    expect(stdout).toBe(`${disabled}\tpaused (disabled)\n`)
    for (const command of ['keys update ', 'keys rotate ', 'keys revoke ']) {
      expect(await complete(command)).not.toContain(revoked)
    }
    for (const command of ['keys show ', 'keys usage ', 'audit --key ']) {
      expect(await complete(command)).toEqual(expect.arrayContaining([disabled, revoked]))
    }
  })

  test('completes event ids, the accounts of the caller, and values of the audit log', async () => {
    const { delivery } = documentOf(await user.hctl(`webhooks ping ${webhookId} --json`))
    expect(await complete('deliveries list --event-id ')).toEqual([delivery.event.id])
    expect(await complete('audit --action webhook.c')).toEqual(['webhook.create'])
    const { user: caller } = documentOf(await user.hctl('whoami --json'))
    const { stdout } = await user.hctl(['complete', '--', 'audit', '--actor', ''])
    expect(stdout).toContain(`${caller.id}\t${caller.name}\n`)

    expect(await complete('keys create --account ')).toEqual([])
    const account = await user.tenant.makeAccount()
    const create = `keys create --name limited --scope *:read --account ${account} --json`
    const env = { HCTL_TOKEN: documentOf(await user.hctl(create)).token }
    const limited = await user.hctl(['complete', '--', 'keys', 'create', '--account', ''], { env })
    expect(limited.stdout).toBe(`${account}\t\n`)
  })

  test('offers no ids without a sign-in or a service, and does not fail', async () => {
    const { hctl } = await makeMachine({ HCTL_URL: 'http://127.0.0.1:1' })
    for (const env of [{}, { HCTL_TOKEN: `hctl_${'a'.repeat(12)}_${'b'.repeat(38)}` }]) {
      const result = await hctl(['complete', '--', 'keys', 'show', ''], { env })
      expect(result).toEqual({ code: 0, stdout: '', stderr: '' })
    }
  })
})

describe('hctl completion bash', () => {
  /** Completes a line in bash; `hctl` and `npx` are stubs that print the words they get. */
  async function bash(line: string): Promise<{ replies: string[]; called: string }> {
    const folder = makeTemporaryFolder()
    const script = (await user.hctl('completion bash')).stdout
    await writeFile(join(folder, 'completion.bash'), script)
    const stub = `#!/bin/sh\nprintf '%s|' "\${0##*/}" "$@" > "${folder}/called"\nprintf 'webhooks:read\\tabout\\nsite.*\\t\\n'\n`
    for (const name of ['hctl', 'npx']) {
      await writeFile(join(folder, name), stub)
      await chmod(join(folder, name), 0o755)
    }
    const program = `source "$1"; COMP_LINE=$2 COMP_POINT=\${#2}; _hctl; printf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { PATH: `${folder}${delimiter}${process.env['PATH']}` }
    const words = ['-c', program, 'bash', join(folder, 'completion.bash'), line]
    const { stdout } = await promisify(execFile)('bash', words, { env })
    const called = await readFile(join(folder, 'called'), 'utf8').catch(() => '')
    return { replies: stdout.trimEnd().split('\n'), called }
  }

  test('passes the words to hctl and quotes what the shell would expand', async () => {
    expect(await bash('hctl keys create --scope ')).toEqual({
      replies: ['webhooks:read', 'site.\\*'],
      called: 'hctl|complete|--|keys|create|--scope||',
    })
  })

  test('completes npx hctl too, and no other program of npx', async () => {
    expect((await bash('npx hctl keys sh')).called).toBe('npx|hctl|complete|--|keys|sh|')
    expect((await bash('npx other keys sh')).called).toBe('')
  })

  test('replaces only what follows a colon, where bash splits words', async () => {
    expect((await bash('hctl keys create --scope webhooks:r')).replies).toContain('read')
  })
})

describe('hctl completion', () => {
  test.each(['zsh', 'fish'])('%s calls hctl complete, also for npx', async (shell) => {
    const { stdout } = await user.hctl(`completion ${shell}`)
    expect(stdout).toMatch(/complete --/)
    expect(stdout).toContain('npx hctl')
  })
})
