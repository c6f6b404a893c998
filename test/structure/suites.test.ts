import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { faultKinds, stallKinds } from '../faults/schedule/fault-kinds.ts'
import { makeSchedule, makeStalls } from '../faults/schedule/schedule.ts'
import { readSources } from './sources.ts'

const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}

/** The scripts that run jest, with what they pass to it. */
const suites = Object.entries(scripts).filter(([, command]) => command.startsWith('npm test -- '))

test('every folder of tests belongs to a suite', async () => {
  const tests = await readSources('test/**/*.test.ts')
  const folders = new Set(tests.map(({ path }) => path.split('/')[1]!))
  const without = [...folders].filter(
    (folder) => !suites.some(([, command]) => command.includes(`test/${folder}/`)),
  )
  // `npm test` itself runs the structure tests, and those of the checker of histories.
  expect(without.toSorted()).toEqual(['faults', 'structure'])
})

test('CI runs every suite, and CONTRIBUTING.md describes it', () => {
  const ci = readFileSync(`${root}.ci/run`, 'utf8')
  const contributing = readFileSync(`${root}CONTRIBUTING.md`, 'utf8')
  const isInCi = (name: string): boolean => new RegExp(`\\b${name}\\b(?!:)`).test(ci)
  // The folders or the configuration of a suite, which may be part of a larger one.
  const partsOf = (command: string): string[] =>
    command.split(' ').filter((word) => /\//.test(word))
  const run = suites.flatMap(([name, command]) => (isInCi(name) ? partsOf(command) : []))
  expect(suites.length).toBeGreaterThan(4)
  expect(isInCi('test')).toBe(true)
  expect(contributing).toContain('`npm test`')
  for (const [name, command] of suites) {
    expect(run).toEqual(expect.arrayContaining(partsOf(command)))
    expect(contributing).toContain(`\`npm run ${name}\``)
  }
})

test("the seeds of CI's runs with faults together contain every fault", () => {
  const ci = readFileSync(`${root}.ci/run`, 'utf8')
  const minutes = Number(/--minutes ([\d.]+)/.exec(ci)![1])
  const seedsOf = (command: string): number[] =>
    [...ci.matchAll(new RegExp(`'${command} ([\\d ]+)'`, 'g'))].flatMap(([, list]) =>
      list!.split(' ').map(Number),
    )
  const [seeds, stalls] = [seedsOf('run_seeds'), seedsOf('run_stalls').map(makeStalls)]
  const schedules = [...seeds.map((seed) => makeSchedule(seed, minutes * 60_000)), ...stalls]
  const kinds = schedules.flatMap(({ faults }) => faults.map(({ kind }) => kind))
  expect(seeds.length).toBeGreaterThanOrEqual(5)
  expect(new Set(stalls.map(({ way }) => way))).toEqual(new Set(['direct', 'pooled']))
  expect(new Set(kinds)).toEqual(new Set(Object.keys({ ...faultKinds, ...stallKinds })))
})
