import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { root } from '../../../tools/run.ts'
import { makeCertificates, type Certificates } from '../../../test/support/certificates.ts'
import {
  startHttpProxy,
  type HttpProxy,
  type HttpProxyOptions,
} from '../../../test/support/http-proxy.ts'
import { startReceiver, type Receiver, type Reply } from '../../../test/support/receiver.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { findProxy } from '../src/network/find-proxy.ts'
import { approved, keyToken, pending, startDeviceServer } from './support/device-server.ts'
import { failureOf, linesOf, makeMachine } from './support/hctl.ts'

const closing: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close()
})

async function startProxy(options: HttpProxyOptions): Promise<HttpProxy> {
  const proxy = await startHttpProxy(options)
  closing.push(proxy)
  return proxy
}

async function startDevice(polls: readonly Reply[] = [approved]) {
  const device = await startDeviceServer(polls)
  closing.push(device)
  return device
}

const eventOf = (id: string) => ({
  headers: { 'Content-Type': 'application/json', 'Service-Event': 'site.created' },
  body: `{"id":"${id}","type":"site.created","data":{}}`,
})

/** A service that is reached as https://panel.test, which only the proxy knows. */
let certificates: Certificates
let caFile: string
beforeAll(async () => {
  certificates = await makeCertificates({ names: ['panel.test'], addresses: ['127.0.0.1'] })
  caFile = join(makeTemporaryFolder(), 'ca.pem')
  writeFileSync(caFile, certificates.ca)
})

async function startService(): Promise<Receiver> {
  const json = { 'Content-Type': 'application/json' }
  async function* stream() {
    yield `data: ${JSON.stringify({ secret: 'whsec_1' })}\n\n`
    yield `data: ${JSON.stringify(eventOf('1'))}\n\n`
    await new Promise(() => undefined)
  }
  const service = await startReceiver({
    tls: certificates,
    respond({ path }) {
      if (path.endsWith('/event-types')) {
        const body = JSON.stringify({ items: [{ type: 'site.created', resource: 'site' }] })
        return { status: 200, headers: json, body }
      }
      if (path.endsWith('/listen')) {
        const headers = { 'Content-Type': 'text/event-stream' }
        return { status: 200, headers, body: Readable.from(stream()) }
      }
      return { status: 200, headers: json, body: JSON.stringify({ user: { name: 'Ana' } }) }
    },
  })
  closing.push(service)
  return service
}

/** Starts a program with a proxy in its environment. */
function start(command: readonly string[], env: Record<string, string>) {
  const child = spawn(command[0]!, command.slice(1), {
    env: {
      PATH: process.env['PATH'],
      HOME: makeTemporaryFolder(),
      NODE_EXTRA_CA_CERTS: caFile,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, output: Promise.all([text(child.stdout), text(child.stderr)]) }
}

const hctl = [process.execPath, `${root}apps/cli/bin/hctl.js`]
const signedIn = { HCTL_URL: 'https://panel.test', HCTL_TOKEN: keyToken }

describe('hctl uses the proxy of the environment', () => {
  test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])(
    '%s for https, with a tunnel and the credentials of the proxy',
    async (name) => {
      const service = await startService()
      const proxy = await startProxy({ toPort: () => service.port })
      const env = { ...signedIn, [name]: `http://me:p%40ss@127.0.0.1:${proxy.port}` }
      const { output } = start([...hctl, 'api', 'GET', '/auth/me'], env)
      const [stdout, stderr] = await output
      expect([JSON.parse(stdout), stderr]).toEqual([{ user: { name: 'Ana' } }, ''])
      expect(proxy.asked).toEqual(['CONNECT panel.test:443'])
      expect(proxy.credentials).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`])
      expect(service.requests[0]!.headers).toMatchObject({ authorization: `Bearer ${keyToken}` })
      expect(service.requests[0]!.headers).not.toHaveProperty('proxy-authorization')
    },
  )

  test('for a device login, and without a scheme', async () => {
    const device = await startDevice([pending, approved])
    const proxy = await startProxy({ toPort: () => device.port })
    const machine = await makeMachine({
      HCTL_URL: 'http://panel.test',
      HTTP_PROXY: `127.0.0.1:${proxy.port}`,
    })
    const result = await machine.hctl('login --json --name laptop', { hurry: true })
    expect(linesOf(result).at(-1)).toMatchObject({ status: 'authenticated' })
    expect(proxy.asked.map((line) => line.replace(/\?.*/, ''))).toEqual([
      'POST http://panel.test/oauth/device_authorization',
      'POST http://panel.test/oauth/token',
      'POST http://panel.test/oauth/token',
    ])
  })

  test('for the stream of listen, but not for the program that receives the events', async () => {
    const service = await startService()
    const proxy = await startProxy({ toPort: () => service.port })
    const local = await startReceiver()
    closing.push(local)
    const url = `http://127.0.0.1:${proxy.port}`
    const { child, output } = start([...hctl, 'listen', '--forward-to', `${local.url}hook`], {
      ...signedIn,
      HTTPS_PROXY: url,
      HTTP_PROXY: url,
      NODE_USE_ENV_PROXY: '1',
    })
    expect(await local.next()).toMatchObject({ path: '/hook' })
    child.kill('SIGINT')
    expect((await output)[0]).toContain('whsec_1')
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT panel.test:443']))
  })

  test('but not for a host in NO_PROXY', async () => {
    const device = await startDevice()
    const proxy = await startProxy({ toPort: () => device.port })
    const machine = await makeMachine({
      HCTL_URL: device.server,
      HCTL_TOKEN: keyToken,
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
      NO_PROXY: 'localhost,127.0.0.0/8',
    })
    expect((await machine.hctl('auth status')).code).toBe(0)
    expect(proxy.asked).toEqual([])
  })

  test('and says what the proxy answered, without its password', async () => {
    const proxy = await startProxy({ toPort: () => 9, refusesWith: 407 })
    const machine = await makeMachine({ ...signedIn })
    const failures: [proxy: string, exit: number, code: string, text: string][] = [
      [
        `http://me:s3cret@127.0.0.1:${proxy.port}`,
        1,
        'no_connection',
        `HTTP 407 through the proxy 127.0.0.1:${proxy.port}`,
      ],
      [
        'http://me:s3cret@127.0.0.1:9',
        1,
        'no_connection',
        'ECONNREFUSED through the proxy 127.0.0.1:9',
      ],
      ['socks5://me:s3cret@127.0.0.1:9', 2, 'usage', 'https_proxy is not the URL of an HTTP proxy'],
      ['http://me:s3cret@ proxy', 2, 'usage', 'https_proxy is not the URL of an HTTP proxy'],
    ]
    for (const [https_proxy, exit, code, shown] of failures) {
      const result = await machine.hctl('auth status --json', { env: { https_proxy }, hurry: true })
      expect(failureOf(result)).toEqual({ exit, code })
      expect(result.stderr).toContain(shown)
      expect(result.stdout + result.stderr).not.toContain('s3cret')
    }
  }, 30_000)
})

test('the SDK for TypeScript uses the proxy of the environment with NODE_USE_ENV_PROXY', async () => {
  const service = await startService()
  const proxy = await startProxy({ toPort: () => service.port })
  const program = `import { createClient } from '${root}packages/sdk/dist/index.js'
const client = createClient({ baseUrl: process.env.HCTL_URL, token: process.env.HCTL_TOKEN })
console.log((await client.GET('/auth/me')).user.name)`
  const { output } = start([process.execPath, '--input-type=module', '--eval', program], {
    ...signedIn,
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    NODE_USE_ENV_PROXY: '1',
  })
  expect(await output).toEqual(['Ana\n', ''])
  expect(proxy.asked).toEqual(['CONNECT panel.test:443'])
})

test('the Python client uses it too, and again when it retries', async () => {
  const service = await startService()
  const proxy = await startProxy({ toPort: () => service.port, breaks: 2 })
  const program = `import os
from hosting_sdk import Client
print(Client(os.environ["HCTL_URL"], os.environ["HCTL_TOKEN"]).auth.me()["user"]["name"])`
  const { output } = start(['python3', '-B', '-c', program], {
    ...signedIn,
    PYTHONPATH: `${root}clients/python`,
    SSL_CERT_FILE: caFile,
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
  })
  expect(await output).toEqual(['Ana\n', ''])
  expect(proxy.asked).toEqual(Array.from({ length: 3 }, () => 'CONNECT panel.test:443'))
  expect(service.requests).toMatchObject([{ path: '/api/v1/auth/me' }])
}, 30_000)

describe('the proxy of a URL', () => {
  const proxies = { HTTPS_PROXY: 'http://proxy.test:3128', HTTP_PROXY: 'http://plain.test' }
  const hostOf = (url: string, env: Record<string, string>) => findProxy(new URL(url), env)?.host

  test.each([
    ['https://panel.test', proxies, 'proxy.test:3128'],
    ['http://panel.test', proxies, 'plain.test'],
    ['https://panel.test', { HTTP_PROXY: 'http://plain.test' }, undefined],
    ['https://panel.test', { all_proxy: 'a.test', https_proxy: '' }, 'a.test'],
    ['https://panel.test', { https_proxy: 'low.test', HTTPS_PROXY: 'up.test' }, 'low.test'],
    ['https://panel.test', { HTTPS_PROXY: '[::1]:3128' }, '[::1]:3128'],
  ])('%s with %j is %s', (url, env, proxy) => {
    expect(hostOf(url, env)).toBe(proxy)
  })

  test.each([
    ['https://panel.test', '*'],
    ['https://panel.test', 'a.test, panel.test'],
    ['https://panel.test', 'panel.test.'],
    ['https://PANEL.test', 'Panel.Test'],
    ['https://panel.test', '.test'],
    ['https://panel.test', '*.test'],
    ['https://a.panel.test', 'panel.test'],
    ['https://panel.test', 'panel.test:443'],
    ['https://panel.test:8443', 'panel.test:8443'],
    ['https://10.1.2.3', '10.0.0.0/8'],
    ['https://[fd00::1]', '[fd00::1]'],
    ['https://[fd00::1]', 'fd00::1'],
    ['https://[fd00::1]:8443', '[fd00::1]:8443'],
    ['https://[fd00::1]', 'fd00::/8'],
  ])('%s is reached directly with NO_PROXY=%s', (url, list) => {
    expect(hostOf(url, { ...proxies, NO_PROXY: list })).toBeUndefined()
  })

  test.each([
    ['https://panel.test', 'anel.test'],
    ['https://panel.test', 'panel.test:8443'],
    ['https://panel.test.evil.example', 'panel.test'],
    ['https://10.1.2.3', '10.0.0.0/16'],
    ['https://1.10.0.0', '0.0'],
    ['https://panel.test', '10.0.0.0/99'],
    ['https://panel.test', ''],
  ])('%s is not, with NO_PROXY=%s', (url, list) => {
    expect(hostOf(url, { ...proxies, NO_PROXY: list })).toBe('proxy.test:3128')
  })
})
