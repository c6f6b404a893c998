// Adds 100,000 items and removes them again, with 50 in progress at a time. Prints how many bytes moved to V8's old
// generation. Needs `--expose-gc`.
import { getHeapSpaceStatistics } from 'node:v8'
import { InProgress } from '../../src/concurrency/in-progress.ts'

const inProgress = new InProgress<number[]>()
const removals: (() => void)[] = []

function churn(): void {
  for (let index = 0; index < 100_000; index++) {
    removals.push(inProgress.add(Array.from({ length: 100 }, () => index)))
    if (removals.length > 50) removals.shift()!()
  }
}

const sizeOfOld = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size

churn()
globalThis.gc!({ execution: 'sync', type: 'major' })
const before = sizeOfOld()
churn()
process.stdout.write(String(sizeOfOld() - before))
