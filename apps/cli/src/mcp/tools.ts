import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { problemCatalog } from '@hosting/core/problems'
import { scopesCover, type Scope } from '@hosting/core/scopes'
import { ApiProblem, type Client } from '@hosting/sdk'
import type { Environment } from '../environment.ts'
import { toFailure, type Failure } from '../failure.ts'
import { operations } from '../generated/operations.ts'
import { redact } from '../terminal/redact.ts'
import type { Operation } from './operation.ts'

type Arguments = Readonly<Record<string, unknown>>

const isRead = ({ method }: Operation): boolean => method === 'GET'

/** Lists the tools that the key may call now: only reads, unless writes are allowed. */
export async function listTools(client: Client, allowsWrites: boolean): Promise<Tool[]> {
  const { permissions, key } = await client.GET('/auth/me')
  const scopes = (key?.scopes ?? []) as readonly Scope[]
  const mayCall = ({ needs }: Operation): boolean =>
    !needs || (permissions.includes(needs.permission) && scopesCover(scopes, needs.scope))
  return operations
    .filter((operation) => (allowsWrites || isRead(operation)) && mayCall(operation))
    .map(toTool)
}

function toTool(operation: Operation): Tool {
  const { name, title, description, input } = operation
  return {
    name,
    title,
    description: `${title}. ${description}`,
    inputSchema: input as unknown as Tool['inputSchema'],
    annotations: { title, readOnlyHint: isRead(operation), destructiveHint: false },
  }
}

/** What a call needs. */
export interface ToolContext {
  readonly client: Client
  readonly allowsWrites: boolean
  readonly environment: Environment
}

/** Calls a tool. A refusal is a result too, with what to do about it. */
export async function callTool(
  { client, allowsWrites, environment }: ToolContext,
  name: string,
  given: Arguments,
): Promise<CallToolResult> {
  const operation = operations.find((each) => each.name === name)
  if (!operation) return refusal({ code: 'unknown_tool', message: `There is no tool ${name}.` })
  if (!allowsWrites && !isRead(operation)) return refusal(writesNotAllowed)
  const names = Object.keys(operation.input.properties)
  const unknown = Object.keys(given).filter((each) => !names.includes(each))
  const missing = operation.input.required.filter((each) => given[each] === undefined)
  if (unknown.length > 0 || missing.length > 0) {
    return refusal(wrongArguments({ unknown, missing, names }))
  }
  try {
    return success(await send(client, operation, given))
  } catch (error) {
    const failure = toFailure(error)!
    const message = redact(failure.message, environment.env)
    return refusal({ ...failure, ...problemOf(error), message })
  }
}

const writesNotAllowed: Failure & { remedy: string } = {
  code: 'writes_not_allowed',
  message: 'This server only reads.',
  remedy: 'A person can start it with: hctl mcp --allow-writes',
}

const wrongArguments = (wrong: {
  readonly unknown: readonly string[]
  readonly missing: readonly string[]
  readonly names: readonly string[]
}): Failure & { remedy: string } => ({
  code: 'invalid_arguments',
  message: [
    ...wrong.unknown.map((name) => `There is no argument ${name}.`),
    ...wrong.missing.map((name) => `The argument ${name} is missing.`),
  ].join(' '),
  remedy: `The arguments are: ${wrong.names.join(', ') || 'none'}.`,
})

/** A call of the client, without the types of the operations. */
type UntypedCall = (path: string, init: object) => Promise<unknown>

async function send(client: Client, operation: Operation, given: Arguments): Promise<object> {
  const { method, path, pathNames, queryNames } = operation
  const pick = (wanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => wanted(name)))
  const body = pick((name) => !pathNames.includes(name) && !queryNames.includes(name))
  const call = client[method] as unknown as UntypedCall
  const response = await call(path, {
    params: {
      path: pick((name) => pathNames.includes(name)),
      query: pick((name) => queryNames.includes(name)),
    },
    ...(Object.keys(body).length > 0 && { body }),
  })
  return response ?? {}
}

/** What the page of the problem says. */
function problemOf(error: unknown): object {
  if (!(error instanceof ApiProblem)) return {}
  const { code, status, detail, retryAfterSeconds } = error
  const explanation = Object.hasOwn(problemCatalog, code)
    ? problemCatalog[code as keyof typeof problemCatalog].explanation
    : undefined
  return {
    status,
    detail,
    ...(explanation !== undefined && { remedy: explanation }),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
  }
}

const success = (content: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(content) }],
  structuredContent: { ...content },
})

const refusal = (failure: Failure): CallToolResult => ({
  ...success({ error: failure }),
  isError: true,
})
