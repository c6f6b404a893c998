import { listen, type Listener, type ListenerLimits, type Logger } from '@hosting/process'
import { afterAll, expect } from '@jest/globals'
import express, { type Express } from 'express'
import { EventEmitter } from 'node:events'
import { expectGuarded, strictestPolicy } from '../../../../test/support/guarded.ts'
import type { RawResponse } from '../../../../test/support/raw-http.ts'

/** Echoes the request once its body is complete. `/large` sends more than any buffer can hold. */
export function createEcho(events = new EventEmitter()): Express {
  const app = express().disable('x-powered-by')
  app.get('/large', (_req, res) => {
    res.once('close', () => events.emit('closed', res.writableFinished))
    res.end(Buffer.alloc(64 * 2 ** 20))
  })
  app.use((req, res) => {
    events.emit('request', req.method)
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.once('end', () => {
      res.json({ method: req.method, url: req.url, body: Buffer.concat(chunks).toString() })
    })
  })
  return app
}

/** Opens listeners, which close after the tests of the file. */
export function useListeners() {
  const opened: Listener[] = []
  afterAll(() => Promise.all(opened.map((listener) => listener.close())))
  return async (
    app: Express,
    limits: Partial<ListenerLimits> = {},
    log?: Logger,
  ): Promise<string> => {
    const further = log ? { log } : {}
    const listener = await listen(app, { host: '127.0.0.1', port: 0, limits, ...further })
    opened.push(listener)
    return `http://127.0.0.1:${listener.port}`
  }
}

/** Expects one response, a problem document, on a connection that is then closed. */
export function expectProblem(responses: readonly RawResponse[], expected: object): void {
  expect(responses).toHaveLength(1)
  const [{ status, headers, body }] = responses as [RawResponse]
  expectGuarded(headers)
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json',
    'content-security-policy': strictestPolicy,
    'cache-control': 'no-store',
    connection: 'close',
  })
  const problem = JSON.parse(body)
  expect(problem).toMatchObject({
    status,
    type: `/problems/${problem.code}`,
    title: expect.any(String),
    detail: expect.any(String),
    instance: expect.any(String),
    request_id: headers['x-request-id'],
    ...expected,
  })
  expect(problem.request_id).toMatch(/^[\w.-]{1,128}$/)
}

export const malformed = { status: 400, code: 'malformed_request' }
export const tooLarge = { status: 413, code: 'payload_too_large' }
export const host = 'Host: a\r\n'
export const get = `GET / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`
/** A POST with these header lines and this body. */
export const post = (lines: string, body: string): string =>
  `POST / HTTP/1.1\r\n${host}${lines}\r\n\r\n${body}`
