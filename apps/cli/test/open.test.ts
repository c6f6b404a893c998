import { describe, expect, test } from '@jest/globals'
import { documentOf, failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

describe('hctl open', () => {
  test('opens the overview, a page, or the page of a record by its name or id', async () => {
    const { id, name } = documentOf(await hctl('whoami --json')).key
    const { stdout } = await hctl('open')
    expect(stdout).toMatch(/^http:\/\/\S+\/\n$/)
    const base = stdout.trim().replace(/\/$/, '')
    const paths = [
      [['open'], '/'],
      [['open', 'deliveries'], '/deliveries'],
      [['open', 'keys', id], `/keys/${id}`],
      [['open', 'keys', name], `/keys/${id}`],
    ] as const
    for (const [words, path] of paths) {
      const opened = await hctl(words)
      expect(opened).toMatchObject({ code: 0, stdout: `${base}${path}\n` })
    }
    expect(documentOf(await hctl('open audit --json'))).toEqual({ url: `${base}/audit` })
  })

  test.each([
    ['a page that does not exist', 'open nothing', 'usage', 2],
    ['a record of a page without records', 'open audit 1', 'usage', 2],
    ['a record that does not exist', 'open webhooks nothing', 'not_found', 1],
  ])('does not open %s', async (_, line, code, exit) => {
    expect(failureOf(await hctl(`${line} --json`))).toEqual({ exit, code })
  })
})
