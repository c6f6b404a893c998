import { existsSync, statSync } from 'node:fs'
import { root } from '../../tools/run.ts'

interface TestFile {
  readonly path: string
}

/** The files that take longest, longest first. A suite that started one of them last would wait for it alone. */
const slow = [
  'test/panel/screens.test.ts',
  'test/panel/journeys/journeys.test.ts',
  'tools/local-stack/local-stack.test.ts',
].map((path) => root + path)

/** The order of test files, for jest: the slow ones first, then by size. */
export default class Sequencer {
  sort<File extends TestFile>(files: readonly File[]): File[] {
    const missing = slow.filter((path) => !existsSync(path))
    if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}`)
    const rankOf = (path: string): number =>
      slow.includes(path) ? slow.indexOf(path) : slow.length
    const sizeOf = (path: string): number => statSync(path).size
    return files.toSorted(
      (a, b) => rankOf(a.path) - rankOf(b.path) || sizeOf(b.path) - sizeOf(a.path),
    )
  }

  /** Jest's own sequencer orders by earlier durations. A fresh checkout has none. */
  cacheResults(): void {}
}
