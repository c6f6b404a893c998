import { InProgress } from '@hosting/core/concurrency'
import { expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

test('holds what was added and not removed, and a second removal has no effect', () => {
  const inProgress = new InProgress<string>()
  const [removeA, removeB, removeC] = ['a', 'b', 'c'].map((item) => inProgress.add(item))
  removeA!()
  removeA!()
  expect(inProgress.items().toSorted()).toEqual(['b', 'c'])
  const removeD = inProgress.add('d')
  removeC!()
  expect(inProgress.size).toBe(2)
  removeB!()
  expect(inProgress.items()).toEqual(['d'])
  removeD()
  expect(inProgress.size).toBe(0)
})

test('what was removed is collected with the young generation', () => {
  const script = fileURLToPath(new URL('churn.ts', import.meta.url))
  const moved = execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' })
  expect(Number(moved)).toBeLessThan(500_000)
})
