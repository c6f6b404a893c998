import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { processEnvironment } from '../../tools/process-environment.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
const assignments = Object.entries(processEnvironment).map(([name, value]) => `${name}=${value}`)

test.each(['api', 'worker'])('`npm run %s` sets the environment of a process', (name) => {
  expect(scripts[name]).toBe(`${assignments.join(' ')} exec node apps/${name}/dist/bundle/main.js`)
})

test('the image sets the environment of a process', () => {
  expect(read('Dockerfile').split('\n')).toEqual(
    expect.arrayContaining(assignments.map((assignment) => `ENV ${assignment}`)),
  )
})
