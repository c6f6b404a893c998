import type { Client, ExportedPath, ExportOptions } from '@hosting/sdk'
import { readFile } from 'node:fs/promises'
import { signedInClient } from './auth/sign-in.ts'
import { command } from './command.ts'
import type { Context } from './context.ts'
import type { Environment } from './environment.ts'
import { usageError } from './exit-codes.ts'
import * as option from './options.ts'
import { readStandardInput } from './standard-input.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]

/** A call of the client, without the types of the operations. */
type UntypedCall = (path: string, init: object) => Promise<unknown>

/** Calls any operation, also those that have no command. */
export const api = command({
  path: 'api',
  summary: 'Call the API and print the response as JSON, or as the format that an export asks for',
  examples: ["hctl api GET '/webhooks?limit=5'", 'hctl api POST /webhooks --body @webhook.json'],
  arguments: {
    method: { description: 'GET, POST, PUT, PATCH or DELETE', choices: methods },
    path: { description: 'The path after /api/v1, with its query, for example /api-keys?limit=5' },
  },
  options: {
    body: option.text('json', 'JSON body: the text, @file, or - for standard input'),
  },
  async run(context, { method, path, body }) {
    const client = await signedInClient(context)
    const called = { method: toMethod(method), path: toPath(path) }
    const exported = toExport(called)
    if (exported) return printExport(context, client, exported)
    const json = body === undefined ? undefined : await readJson(context.environment, body)
    const response = await callOf(client, called.method)(called.path, { body: json })
    if (response !== undefined) context.output.document(response)
  },
})

const callOf = (client: Client, method: Method): UntypedCall => client[method]

function toMethod(text: string): Method {
  const method = methods.find((each) => each === text.toUpperCase())
  if (method) return method
  throw usageError('usage', `${text} is not a method: ${methods.join(', ')}.`)
}

/** The path below `/api/v1`. @throws a usage error for a URL, to which the key must not be sent. */
function toPath(text: string): string {
  const path = text.replace(/^\/?api\/v1(?=\/)/, '').replace(/^(?!\/)/, '/')
  if (!text.includes('://') && !path.startsWith('//') && !/[{}\\]/.test(path)) return path
  throw usageError('usage', 'The path begins after /api/v1, for example /api-keys.')
}

interface Export {
  readonly path: ExportedPath
  readonly options: ExportOptions
}

/** The export that a request asks for with its `format`; undefined for a request whose response is JSON. */
function toExport({ method, path }: { method: Method; path: string }): Export | undefined {
  const [list, parameters] = path.split('?', 2)
  const { format, ...query } = toQuery(new URLSearchParams(parameters))
  if (method !== 'GET' || (format !== 'csv' && format !== 'jsonl')) return undefined
  // The service knows which lists can be exported, and refuses others.
  return { path: list as ExportedPath, options: { format, query } }
}

/** The values of each parameter: a list of them if it is repeated, which the service may refuse. */
const toQuery = (parameters: URLSearchParams): Record<string, string | string[]> =>
  Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    }),
  )

async function printExport(
  { output, environment }: Context,
  client: Client,
  { path, options }: Export,
): Promise<void> {
  const { text, nextCursor } = await client.export(path, { ...options, signal: environment.signal })
  for await (const part of text) output.text(part)
  if (nextCursor !== null) output.note(`More items exist, from cursor=${nextCursor} on.`)
}

async function readJson(environment: Environment, given: string): Promise<unknown> {
  const text = given === '-' ? await readStandardInput(environment) : await readText(given)
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    // The message repeats a part of the text, which may be a secret.
    const [, at] = /at position (\d+)/.exec((error as Error).message) ?? []
    const where = at === undefined ? '' : `, from character ${Number(at) + 1} on`
    throw usageError('usage', `The body is not JSON${where}.`)
  }
}

async function readText(given: string): Promise<string> {
  if (!given.startsWith('@')) return given
  const path = given.slice(1)
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw usageError('usage', `The file ${path} cannot be read: ${String(error)}`)
  })
}
