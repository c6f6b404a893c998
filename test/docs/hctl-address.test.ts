import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { useApi } from '../support/api.ts'

const port = String(await freePort())
const api = useApi({ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` })
const run = promisify(execFile)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hosting-hctl-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Saves a download and returns its path. */
async function save(name: string): Promise<string> {
  const response = await fetch(`${api.url}/downloads/${name}`)
  const path = join(folder, name)
  writeFileSync(path, Buffer.from(await response.arrayBuffer()))
  return path
}

/** Runs a downloaded `hctl` that was told no address. */
async function whoami(file: string, variables: Record<string, string> = {}) {
  const { token } = await (await api.makeTenant()).makeKey()
  const env = { PATH: process.env['PATH'], HOME: folder, HCTL_TOKEN: token, ...variables }
  return run(process.execPath, [file, 'whoami', '--json'], { cwd: folder, env })
}

/** Requests a path, with headers that name other hosts, and returns the whole response as text. */
async function getFromHost(path: string): Promise<string> {
  const headers = {
    Host: 'host.evil.example',
    'X-Forwarded-Host': 'forwarded.evil.example',
    Forwarded: 'host=forwarded.evil.example',
  }
  const request = get(api.url + path, { headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray())
  return JSON.stringify(response.headers) + body.toString('latin1')
}

test.each([
  '/downloads/hctl.mjs',
  '/downloads/hosting_sdk.whl',
  '/docs/cli',
  '/docs/cli.md',
  '/docs/quickstart/curl',
  '/llms.txt',
  '/api/v1/openapi.json',
])('%s names no host of the request', async (path) => {
  const text = await getFromHost(path)
  expect(text.length).toBeGreaterThan(200)
  expect(text).not.toContain('evil.example')
})

describe('an hctl that was downloaded', () => {
  test('as one file, calls the service from which it comes', async () => {
    const { stdout } = await whoami(await save('hctl.mjs'))
    expect(JSON.parse(stdout)).toMatchObject({ user: { name: 'Ana' } })
  })

  test('as a package, calls the service from which it comes', async () => {
    await run('tar', ['--extract', '--file', await save('hctl.tgz'), '--directory', folder])
    const { stdout } = await whoami(join(folder, 'package/hctl.mjs'))
    expect(JSON.parse(stdout)).toMatchObject({ user: { name: 'Ana' } })
  })

  test('calls another service if HCTL_URL names one', async () => {
    const other = `http://127.0.0.1:${await freePort()}`
    const file = await save('hctl.mjs')
    await expect(whoami(file, { HCTL_URL: other })).rejects.toThrow('no_connection')
  })

  test.each(['hctl.tgz', 'hctl.mjs'])('%s is the same each time, with an ETag', async (name) => {
    const load = (headers: Record<string, string>) =>
      fetch(`${api.url}/downloads/${name}`, { headers })
    const [one, other] = [await load({}), await load({})]
    const etag = one.headers.get('etag')!
    expect(etag).toMatch(/^".+"$/)
    expect(other.headers.get('etag')).toBe(etag)
    expect(
      Buffer.from(await one.arrayBuffer()).equals(Buffer.from(await other.arrayBuffer())),
    ).toBe(true)
    expect((await load({ 'If-None-Match': etag, 'Cache-Control': 'max-age=0' })).status).toBe(304)
  })
})
