import type { Client } from '@hosting/sdk'
import { readFile } from 'node:fs/promises'
import { signedInClient } from './auth/sign-in.ts'
import { command } from './command.ts'
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
  summary: 'Call the API and print the response as JSON',
  examples: ["hctl api GET '/webhooks?limit=5'", 'hctl api POST /webhooks --body @webhook.json'],
  arguments: {
    method: { description: 'GET, POST, PUT, PATCH or DELETE', choices: methods },
    path: { description: 'The path after /api/v1, with its query, for example /api-keys?limit=5' },
  },
  options: {
    body: option.text('json', 'JSON body: the text, @file, or - for standard input'),
  },
  async run(context, { method, path, body }) {
    const call = callOf(await signedInClient(context), toMethod(method))
    const json = body === undefined ? undefined : await readJson(context.environment, body)
    const response = await call(toPath(path), { body: json })
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
