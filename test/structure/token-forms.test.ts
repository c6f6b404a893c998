import { createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'

const token = createKeyToken()
const text = formatKeyToken(token)
const { id } = token

test.each([
  ['hctl', 'a key token', 'apps/cli/src/auth/login.ts', text],
  ['hctl', 'a key id', 'apps/cli/src/references/resolve.ts', id],
  ['the specification', 'a key token', 'docs/specification/api-keys.md', text],
  ['the guide to branding', 'a key token', 'docs/integrate/branding.md', text],
])('%s has the form of %s that the service gives it: %s', (_who, _what, path, valid) => {
  const source = readFileSync(root + path, 'utf8')
  const forms = [...source.matchAll(/[/`](\^.*\[a-z2-7\]\{12\}.*\$)[/`]/g)].map(
    ([, form]) => new RegExp(form!),
  )
  const others = [valid === id ? text : id, valid.slice(0, -1), `${valid}0`]
  expect(forms).toHaveLength(1)
  expect(forms[0]!.test(valid)).toBe(true)
  expect(others.filter((other) => forms[0]!.test(other))).toEqual([])
})

test('the columns of key ids have the length of a key id', () => {
  const schema = readFileSync(`${root}prisma/schema.prisma`, 'utf8')
  const lengths = [...schema.matchAll(/@db\.Char\((\d+)\)/g)].map(([, length]) => Number(length))
  expect(new Set(lengths)).toEqual(new Set([id.length]))
})
