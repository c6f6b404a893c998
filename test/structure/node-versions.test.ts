import { describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'

/** Runs a program in a Node that says that it is of this version. */
function runWith(version: string, program: string) {
  const versions = JSON.stringify({ ...process.versions, node: version })
  const override = `Object.defineProperty(process, 'versions', { value: ${versions} })`
  const preload = `data:text/javascript,${encodeURIComponent(override)}`
  const options = ['--import', preload, root + program, '--help']
  return spawnSync(process.execPath, options, { encoding: 'utf8', env: {} })
}

const enginesOf = (workspace: string): string =>
  (
    JSON.parse(readFileSync(`${root}${workspace}/package.json`, 'utf8')) as {
      engines: { node: string }
    }
  ).engines.node

describe('a program that needs a newer Node says so in one line and exits with 1', () => {
  test.each([
    ['apps/api', 'apps/api/dist/bundle/main.js', '23.11.1', 'Node 24 or newer is needed'],
    ['apps/worker', 'apps/worker/dist/bundle/main.js', '20.20.2', 'Node 24 or newer is needed'],
    ['apps/cli', 'apps/cli/bin/hctl.js', '20.18.3', 'hctl needs Node 20.19 or newer'],
    ['apps/cli', 'apps/api/dist/site/packages/hctl/hctl.mjs', '18.20.8', 'hctl needs Node 20.19'],
  ])('%s: %s in Node %s', (workspace, program, version, message) => {
    const { status, stdout, stderr } = runWith(version, program)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain(`this is Node ${version}`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    const [, needed] = /Node ([\d.]+)/.exec(message)!
    expect(enginesOf(workspace)).toBe(`>=${needed}`)
  })

  test('the required version is sufficient', () => {
    expect(runWith('20.19.0', 'apps/cli/bin/hctl.js').status).toBe(0)
    expect(runWith('24.0.0', 'apps/api/dist/bundle/main.js').stderr).toContain(
      'DATABASE_URL is missing',
    )
  })
})
