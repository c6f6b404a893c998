import { readFileSync, writeFileSync } from 'node:fs'
import { root } from '../tools/run.ts'
import type { BenchmarkRun } from './results.ts'

const path = `${root}bench/measured.json`

/** The runs that are kept, by benchmark. */
export const readRuns = (): Readonly<Record<string, BenchmarkRun>> =>
  JSON.parse(readFileSync(path, 'utf8')) as Record<string, BenchmarkRun>

/** Keeps a run instead of the one before. */
export function keepRun(name: string, run: BenchmarkRun): void {
  writeFileSync(path, `${JSON.stringify({ ...readRuns(), [name]: run }, null, 2)}\n`)
}
