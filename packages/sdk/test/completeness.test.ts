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
import { createInternalClient } from '@hosting/sdk/internal'
import { describe, expect, test } from '@jest/globals'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runTool } from '../../../tools/run.ts'
import { json, useServer } from './support/server.ts'

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

const publicOperations = operationsOf(openApiDocument(publicRoutes))
const internalOperations = operationsOf(internalApiDocument(internalRoutes, internalBase))

describe('the SDK calls every operation of the OpenAPI document', () => {
  test.each(publicOperations.map((operation) => [operation.operationId, operation] as const))(
    '%s',
    async (operationId, operation) => {
      server.responders.splice(0, Infinity, json(200, { items: [], next_cursor: null }))
      if (operationId === 'webhooks.listen') {
        const stream = server.client().listen()
        await expect(stream.next()).rejects.toThrow()
      } else await call(server.client(), operation)
      const [request] = server.requests
      expect([request?.method, request?.url]).toEqual([
        operation.method,
        publicBase + operation.path.replaceAll(/\{\w+\}/g, 'x'),
      ])
    },
  )

  test.each(internalOperations.map((operation) => [operation.operationId, operation] as const))(
    '%s, with @hosting/sdk/internal',
    async (operationId, operation) => {
      server.responders.splice(0, Infinity, json(200, { items: [] }))
      const client = createInternalClient({ baseUrl: server.baseUrl, token: 't' })
      if (operationId === 'internal.events') await client.publish([])
      else await call(client, operation)
      const [request] = server.requests
      expect([request?.method, request?.url]).toEqual([
        operation.method,
        internalBase + operation.path.replaceAll(/\{\w+\}/g, 'x'),
      ])
    },
  )
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

test("the reference's examples in TypeScript fit the types of the SDK", () => {
  const parent = `${root}packages/sdk/.cache`
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'examples-'))
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
      `import { createInternalClient } from '@hosting/sdk/internal'
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
}, 60_000)
