import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createLogger } from '@hosting/process'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { serveBinary } from '../src/docs/downloads/binaries.ts'
import { createApp, mountEnd } from '../src/api/http/mount.ts'

const file = join(makeTemporaryFolder(), 'linux-x64.gz')
const executable = Buffer.from('\u007FELF and so on')
const code = Buffer.from('void "the code of hctl"')
let server: Server
let url: string

beforeAll(async () => {
  const app = createApp()
  app.get('/hctl.gz', serveBinary(file, { name: 'hctl.gz', makeCode: () => code }))
  mountEnd(app, createLogger('api', 'silent'))
  server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hctl.gz`
})
afterAll(() => void server.close())

test('an executable is served with the code and its length after it, and revalidated', async () => {
  writeFileSync(file, gzipSync(executable))
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/gzip')
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="hctl.gz"')
  const body = Buffer.from(await response.arrayBuffer())
  expect(response.headers.get('content-length')).toBe(String(body.length))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(code.length))
  expect(gunzipSync(body)).toEqual(Buffer.concat([executable, code, length]))

  const etag = response.headers.get('etag')!
  const head = await fetch(url, { method: 'HEAD' })
  expect(head.headers.get('etag')).toBe(etag)
  expect(head.headers.get('content-length')).toBe(String(body.length))
  const cached = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' }
  expect((await fetch(url, { headers: cached })).status).toBe(304)
})

test('a service without the executables says what to use instead, as a 404', async () => {
  rmSync(file, { force: true })
  const response = await fetch(url)
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toContain('application/problem+json')
  expect(await response.json()).toMatchObject({
    code: 'not_found',
    detail: expect.stringContaining('Use hctl.tgz or hctl.mjs.'),
  })
})
