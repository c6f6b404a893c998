import { describe, expect, test } from '@jest/globals'
import { commands } from '../src/commands.ts'
import { buildProgram } from '../src/program.ts'
import { keyToken } from './support/device-server.ts'
import { failureOf, makeMachine } from './support/hctl.ts'

const signedIn = { HCTL_TOKEN: keyToken }

describe('wrong usage exits with 2', () => {
  test.each([
    ['kes', /Unknown command 'kes'\n\(Did you mean keys\?\)/],
    ['keys lst', /Did you mean list\?/],
    ['keys list --statos active', /Did you mean --status\?/],
    ['keys list --status gone', /Allowed choices are active, disabled, expired, revoked/],
    ['keys list more', /Too many arguments/],
    ['keys create --name a', /--scope/],
    ['keys revoke', /missing required argument 'id'/i],
    ['audit --since sometime', /'sometime' is invalid\. Expected a time/],
    ['keys list --limit many', /'many' is invalid\. Expected a whole number/],
    ['keys rotate a --grace 5', /'5' is invalid\. Expected a duration/],
    ['whoami', /The URL of the service is missing\.\n {2}Set --server or HCTL_URL/],
    ['whoami --server ftp://a', /ftp:\/\/a is not the URL of a service/],
    ['whoami --profile ../../a', /A profile name/],
    ['listen --forward-to ftp://a', /ftp:\/\/a is not an HTTP URL/],
    ['completion tcsh', /No completion for tcsh\. Use bash, zsh, fish/],
    ['keys', /Usage: hctl keys/],
    ['', /Usage: hctl/],
  ])('hctl %s', async (line, message) => {
    const { hctl } = await makeMachine()
    const result = await hctl(line.split(' ').filter(Boolean), { env: signedIn })
    expect(result).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  })

  test('with --json the error is JSON', async () => {
    const { hctl } = await makeMachine()
    expect(failureOf(await hctl('keys lst --json'))).toEqual({ exit: 2, code: 'usage' })
  })
})

describe('hctl --help', () => {
  test('prints to stdout and exits with 0', async () => {
    const { hctl } = await makeMachine()
    expect((await hctl('--version')).stdout).toBe('1.0.0\n')
    const help = await hctl('keys create --help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toMatch(/--scope[^]*--json/)
  })

  test('lists the exit codes and no hidden command', async () => {
    const { hctl } = await makeMachine()
    const { stdout } = await hctl('--help')
    expect(stdout).toMatch(/0 done, 1 failed, 2 wrong usage, 3 refused[^]*5 rate limited, 130/)
    expect(stdout).not.toMatch(/^ +complete /m)
  })
})

describe('the examples of a command', () => {
  const visible = commands.filter(({ hidden }) => !hidden)

  test.each(visible.map((command) => [command.path, command] as const))(
    'hctl %s: the help shows them, and they are valid command lines',
    async (path, { examples = [] }) => {
      const { hctl } = await makeMachine()
      const { stdout } = await hctl([...path.split(' '), '--help'])
      expect(examples).not.toEqual([])
      for (const example of examples) {
        expect(stdout).toContain(`\n  ${example}`)
        const ran: string[] = []
        const silent = { write: () => true }
        const program = buildProgram({ stdout: silent, stderr: silent }, (command) => {
          ran.push(command.path)
          return Promise.resolve()
        })
        await program.parseAsync(wordsOf(example), { from: 'user' })
        expect(ran).toEqual([path])
      }
    },
  )

  /** The words after `hctl`, without the quotes and substitutions of a shell. */
  const wordsOf = (line: string): string[] =>
    Array.from(
      line
        .replace(/^.*[$<]\((.*)\)$/, '$1')
        .replace(/^hctl /, '')
        .matchAll(/'([^']*)'|(\S+)/g),
      ([, quoted, plain]) => quoted ?? plain!,
    )
})
