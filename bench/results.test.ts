import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { writeTemporary } from '../test/support/temporary-file.ts'
import { ofRounds, ratioOfRounds, single } from './figures.ts'
import { readResults, saveRun, type BenchmarkRun } from './results.ts'

const names = ['auth', 'deliver', 'senders']

const buildRun = (commit: string): BenchmarkRun => ({
  date: '2026-11-20T12:00:00.000Z',
  seconds: 60,
  commit,
  machine: { processor: 'processor', cores: '2', memory: '24 GiB', system: 'Linux' },
  versions: { node: '24.0.0' },
  servers: {},
  settings: { rounds: 5 },
  figures: { section: { row: { column: single('ms', 1) } } },
})

test('a run replaces only its own part of the file', () => {
  const [auth, senders] = [buildRun('a'), buildRun('a')]
  const file = writeTemporary('results.json', JSON.stringify({ auth, senders }))
  saveRun(file, names, ['auth', buildRun('b')])
  expect(readResults(file)).toEqual({ auth: buildRun('b'), senders })
})

test('parts are in the order of the benchmarks, whichever ran last', () => {
  const file = writeTemporary('results.json', JSON.stringify({ senders: buildRun('a') }))
  saveRun(file, names, ['deliver', buildRun('b')])
  saveRun(file, names, ['auth', buildRun('c')])
  expect(Object.keys(readResults(file))).toEqual(names)
})

test('the part of a removed benchmark is removed', () => {
  const file = writeTemporary('results.json', JSON.stringify({ gone: buildRun('a') }))
  saveRun(file, names, ['auth', buildRun('b')])
  expect(Object.keys(readResults(file))).toEqual(['auth'])
})

test('the first run creates the file, which ends with a line break', () => {
  const file = `${writeTemporary('other.json', '')}.results.json`
  expect(readResults(file)).toEqual({})
  saveRun(file, names, ['auth', buildRun('a')])
  expect(readFileSync(file, 'utf8')).toMatch(/^\{\n {2}"auth": \{\n[^]+\n\}\n$/)
})

test('a file that is not JSON is an error', () => {
  expect(() => readResults(writeTemporary('results.json', '{"auth":'))).toThrow(SyntaxError)
})

test('the figure of rounds is their median, with the minimum and the maximum', () => {
  expect(ofRounds('/s', [300.4, 100.2, 200.6])).toEqual({
    unit: '/s',
    median: 201,
    min: 100,
    max: 300,
  })
  expect(ofRounds('ms', [1, 2.005])).toMatchObject({ median: 1.5, min: 1, max: 2 })
})

test('a ratio is the median of the ratios of alternating rounds, not the ratio of medians', () => {
  expect(ratioOfRounds([10, 60, 50], [20, 60, 200])).toEqual({
    unit: 'ratio',
    median: 0.5,
    min: 0.25,
    max: 1,
  })
})
