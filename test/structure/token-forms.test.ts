import { createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'

const token = createKeyToken()
const text = formatKeyToken(token)
const { id } = token

test.each([
  ['a key token', 'apps/cli/src/auth/login.ts', text, [id, text.slice(0, -1), `${text}0`]],
  ['a key id', 'apps/cli/src/references/resolve.ts', id, [text, id.slice(1), `0${id}`]],
])('hctl takes %s in the form that the service gives it: %s', (_what, path, valid, others) => {
  const source = readFileSync(root + path, 'utf8')
  const forms = [...source.matchAll(/\/(\^.*\[a-z2-7\]\{12\}.*\$)\//g)].map(
    ([, form]) => new RegExp(form!),
  )
  expect(forms).toHaveLength(1)
  expect(forms[0]!.test(valid)).toBe(true)
  expect(others.filter((other) => forms[0]!.test(other))).toEqual([])
})
