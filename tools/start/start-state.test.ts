import { expect, test } from '@jest/globals'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { openStartState } from './start-state.ts'

test('the state stays the same between runs, and only its owner may read it', async () => {
  const path = join(makeTemporaryFolder(), 'start.json')
  const first = await openStartState(path)
  await first.keep({ apiKey: 'kept' })
  const { mode } = await stat(path)
  expect(mode & 0o777).toBe(0o600)
  expect((await openStartState(path)).kept).toEqual({ ...first.kept, apiKey: 'kept' })
})

test('a file without some of the state is completed, and keeps the rest', async () => {
  const path = join(makeTemporaryFolder(), 'start.json')
  await writeFile(path, '{"password":"kept"}')
  const { kept } = await openStartState(path)
  expect(kept.password).toBe('kept')
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(kept)
  expect(kept.secretsKeyring).toMatch(/^local:.{44}$/)
})
