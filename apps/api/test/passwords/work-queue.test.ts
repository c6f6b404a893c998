import { expect, test } from '@jest/globals'
import { WorkQueue } from '../../src/api/passwords/password-hash.ts'

/** Work that runs until it is released. */
const held = () => Promise.withResolvers<string>()

test('tasks run up to the concurrency limit, and the others wait in order of arrival', async () => {
  const queue = new WorkQueue({ runningMax: 2, admittedMax: 5 })
  const works = Array.from({ length: 4 }, held)
  const started: number[] = []
  const all = works.map(({ promise }, index) =>
    queue.admit(() =>
      queue.run(() => {
        started.push(index)
        return promise
      }),
    )!,
  )
  await new Promise(setImmediate)
  expect(started).toEqual([0, 1])
  expect(queue.waiting).toBe(2)
  works[1]!.resolve('one')
  await all[1]
  await new Promise(setImmediate)
  expect(started).toEqual([0, 1, 2])
  for (const { resolve } of works) resolve('done')
  expect(await Promise.all(all)).toEqual(['done', 'one', 'done', 'done'])
  expect(started).toEqual([0, 1, 2, 3])
})

test('a task beyond the queue limit is refused until another ends', async () => {
  const queue = new WorkQueue({ runningMax: 1, admittedMax: 2 })
  const [first, second] = [held(), held()]
  const admitted = queue.admit(() => first.promise)
  void queue.admit(() => second.promise)
  expect(queue.admit(() => Promise.resolve('third'))).toBeUndefined()
  first.resolve('first')
  await admitted
  expect(await queue.admit(() => Promise.resolve('third'))).toBe('third')
  second.resolve('second')
})

test('a failed task frees its slot', async () => {
  const queue = new WorkQueue({ runningMax: 1, admittedMax: 1 })
  for (let time = 0; time < 3; time++) {
    const failed = queue.admit(() => queue.run(() => Promise.reject(new Error('broken'))))
    await expect(failed).rejects.toThrow('broken')
  }
})
