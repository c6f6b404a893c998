import {
  internalApiDocument,
  internalBase,
  internalRoutes,
  openApiDocument,
  publicBase,
  publicRoutes,
  requestExamplesOf,
  type DocumentedApi,
  type Route,
} from '@hosting/api'
import { createInternalClient } from '@hosting/platform-sdk'
import { describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { json, useServer } from '../../packages/sdk/test/support/server.ts'
import { root, runTool } from '../../tools/run.ts'

const server = useServer()

interface Operation {
  readonly operationId: string
  readonly method: string
  readonly path: string
}

/** The operations of a document. */
const operationsOf = (document: Readonly<Record<string, unknown>>): Operation[] =>
  Object.entries(
    document['paths'] as Record<string, Record<string, { operationId: string }>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
    })),
  )

type UntypedCall = (path: string, init: object) => Promise<unknown>

/** Calls an operation with the method of the client that has its name. */
async function call(client: object, { method, path }: Operation): Promise<unknown> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const params = { path: Object.fromEntries(names.map((name) => [name, 'x'])) }
  const calls = client as Readonly<Record<string, UntypedCall | undefined>>
  return calls[method]?.(path, { params })
}

type Caller = (operation: Operation) => Promise<unknown>

const callPublic: Caller = (operation) =>
  operation.operationId === 'webhooks.listen'
    ? server
        .client()
        .listen()
        .next()
        // The response is no stream.
        .catch(() => undefined)
    : call(server.client(), operation)

function callInternal(operation: Operation): Promise<unknown> {
  const client = createInternalClient({ baseUrl: server.baseUrl, token: 't' })
  return operation.operationId === 'internal.events' ? client.publish([]) : call(client, operation)
}

const cases = [
  ...operationsOf(openApiDocument(publicRoutes)).map(
    (operation) => [operation.operationId, publicBase, operation, callPublic] as const,
  ),
  ...operationsOf(internalApiDocument(internalRoutes, internalBase)).map(
    (operation) => [operation.operationId, internalBase, operation, callInternal] as const,
  ),
]

describe('the SDK calls every operation of the OpenAPI documents', () => {
  test('of both APIs', () => {
    expect(cases).toHaveLength(publicRoutes.length + internalRoutes.length)
  })

  test.each(cases)('%s', async (_id, base, operation, callIt) => {
    server.responders.splice(0, Infinity, json(200, { items: [], next_cursor: null }))
    await callIt(operation)
    expect(server.requests.map(({ method, url }) => [method, url])).toEqual([
      [operation.method, base + operation.path.replaceAll(/\{\w+\}/g, 'x')],
    ])
  })
})

const api: DocumentedApi = {
  base: '',
  urlVariable: 'URL',
  tokenVariable: 'TOKEN',
  problemsAt: '#',
}

/** A function with the reference's example of each operation. */
const examplesOf = (routes: readonly Route<never>[]): string =>
  (routes as readonly Route[])
    .map((route) => requestExamplesOf(route, api).find(({ language }) => language === 'TypeScript'))
    .map((example) => `{\n${example!.code}\n}`)
    .join('\n')

test('the TypeScript examples of the reference match the types of the SDK', () => {
  const parent = `${root}.cache`
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'sdk-examples-'))
  try {
    writeFileSync(
      join(folder, 'public.ts'),
      `import { createClient } from '@hosting/sdk'
const client = createClient({ baseUrl: '' })
${examplesOf(publicRoutes)}
`,
    )
    writeFileSync(
      join(folder, 'internal.ts'),
      `import { createInternalClient } from '@hosting/platform-sdk'
const client = createInternalClient({ baseUrl: '', token: '' })
${examplesOf(internalRoutes)}
`,
    )
    const compilerOptions = { rootDir: root, noEmit: true, composite: false, declarationMap: false }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: `${root}packages/sdk/tsconfig.json`,
        compilerOptions: { ...compilerOptions, lib: ['es2024', 'dom'] },
        include: ['*.ts'],
      }),
    )
    expect(runTool('tsc', ['-p', folder])).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Calls every example with a client that reaches no service, and prints those that fail otherwise. */
const pythonProgram = `
import json, sys
from hosting_sdk import ApiConnectionError, Client

client = Client("http://127.0.0.1:1", "token", retries=0)
for code in json.load(sys.stdin):
    try:
        exec(code)
        print("not sent:", code)
    except ApiConnectionError:
        pass
    except Exception as error:
        print(repr(error), code)
`

test('the Python examples of the reference match the client for Python', () => {
  const examples = (publicRoutes as unknown as readonly Route[])
    .map((route) => requestExamplesOf(route, api).find(({ language }) => language === 'Python')!)
    .map(({ code }) => code)
    .filter((code) => !code.startsWith('import os, requests'))
  const { status, stdout, stderr } = spawnSync('python3', ['-B', '-c', pythonProgram], {
    input: JSON.stringify(examples),
    env: { ...process.env, PYTHONPATH: `${root}clients/python` },
  })
  expect(examples.length).toBeGreaterThan(35)
  expect([status, String(stdout), String(stderr)]).toEqual([0, '', ''])
})
