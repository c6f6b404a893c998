import { createKeyToken, keyPrefixPattern } from '@hosting/core/api-keys'
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { readSources } from './sources.ts'

const { id } = createKeyToken()

test('the adapter of GitHub accepts the prefixes that the service accepts', () => {
  const source = readFileSync(`${root}deploy/secret-scanning/github-adapter.ts`, 'utf8')
  const forms = [...source.matchAll(/(\[a-z\]\{\S+?\})_\[a-z2-7\]/g)].map(([, form]) => `^${form}$`)
  expect(forms).toEqual([keyPrefixPattern])
})

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
