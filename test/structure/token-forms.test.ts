import { createKeyToken, formatKeyToken, keyPrefixPattern } from '@hosting/core/api-keys'
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { readSources } from './sources.ts'

const token = createKeyToken()
const text = formatKeyToken(token)
const { id } = token

test.each([
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

test.each(['deploy/secret-scanning/github-adapter.ts', 'packages/process/src/redact-line.ts'])(
  '%s accepts the prefixes that the service accepts',
  (path) => {
    const source = readFileSync(root + path, 'utf8')
    const forms = [...source.matchAll(/(\[a-z\]\{\S+?\})_\[a-z2-7\]/g)].map(
      ([, form]) => `^${form}$`,
    )
    expect(forms).toEqual([keyPrefixPattern])
  },
)

test('columns and parameters of key ids have the length of a key id', async () => {
  const sources = await readSources(
    '{prisma/{schema.prisma,functions/*.sql},packages/postgres/{sql,src}/**/*.{sql,ts}}',
  )
  const found = sources.flatMap(({ path, text: source }) =>
    [...source.matchAll(/\bchar\((\d+)\)/gi)].map(([, length]) => ({
      path,
      length: Number(length),
    })),
  )
  expect(found.filter(({ length }) => length !== id.length)).toEqual([])
  expect([...new Set(found.map(({ path }) => path))]).toEqual([
    'packages/postgres/src/audit/audit-choices.ts',
    'prisma/functions/add_key_lineage.sql',
    'prisma/functions/add_key_uses.sql',
    'prisma/functions/first_key_lineage.sql',
    'prisma/functions/record_key_uses.sql',
    'prisma/schema.prisma',
  ])
})
