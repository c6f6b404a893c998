// Runs the calls of standard input with the client for TypeScript, and prints their results.
import { ApiProblem, ConnectionError, createClient, verifyWebhook, type Client } from '@hosting/sdk'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

interface Step {
  readonly call?: string
  readonly client?: string
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly follow?: { readonly types: readonly string[]; readonly take: number }
  readonly verify?: {
    readonly body: string
    readonly header: string
    readonly secrets: readonly string[]
  }
  readonly show?: readonly string[]
  readonly save?: Readonly<Record<string, string>>
}

interface Settings {
  readonly url: string
  readonly token: string
  readonly retryWaitMaxSeconds?: number
}

interface Given {
  readonly variables: Record<string, string>
  readonly clients: Readonly<Record<string, Settings>>
  readonly steps: readonly Step[]
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: object
}

type UntypedCall = (path: string, init: object) => Promise<object | undefined>

const document = JSON.parse(
  readFileSync(new URL('../../../docs/generated/openapi.json', import.meta.url), 'utf8'),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

const given = JSON.parse(await text(process.stdin)) as Given
const saved = given.variables
function connect({ url, token, retryWaitMaxSeconds }: Settings): Client {
  const limits =
    retryWaitMaxSeconds === undefined ? {} : { retryWaitMaxMs: retryWaitMaxSeconds * 1_000 }
  return createClient({ baseUrl: url, token, ...limits })
}

/** Replaces the variables in every string. */
function fill<T>(value: T): T {
  const names = Object.keys(saved).toSorted((a, b) => b.length - a.length)
  return JSON.parse(JSON.stringify(value), (_name, each: unknown) =>
    typeof each === 'string'
      ? names.reduce((filled, name) => filled.replaceAll(`$${name}`, () => saved[name]!), each)
      : each,
  ) as T
}

const pick = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>>)[name], value)

const show = (value: unknown, { show: paths = [] }: Step): object =>
  Object.fromEntries(paths.map((path) => [path, pick(value, path)]))

async function outcomeOf(step: Step): Promise<unknown> {
  try {
    return await run(step)
  } catch (error) {
    if (error instanceof ConnectionError) return { connectionError: true }
    if (!(error instanceof ApiProblem)) throw error
    return {
      problem: error.code,
      status: error.status,
      pointers: error.errors.map(({ pointer }) => pointer),
      hasRequestId: error.requestId !== undefined,
      ...((error.retryAfterSeconds ?? 0) > 0 && { waits: true }),
    }
  }
}

async function run(step: Step): Promise<unknown> {
  if (step.verify) {
    const { body, header, secrets } = step.verify
    return verifyWebhook(body, header, secrets).then(
      () => true,
      () => false,
    )
  }
  const client = clients[step.client ?? 'main']!
  if (step.follow) return follow(client, step)
  const found = operations.find(({ operation }) => operation.operationId === step.call)!
  const init = initOf(found.operation, step.arguments ?? {})
  if (isList(found.operation)) {
    const shown: object[] = []
    for await (const item of client.items(found.path as '/webhooks', init as object)) {
      shown.push(show(item, step))
    }
    return shown
  }
  const calls = client as unknown as Readonly<Record<string, UntypedCall>>
  const result = await calls[found.method.toUpperCase()]!(found.path, init)
  for (const [name, path] of Object.entries(step.save ?? {})) {
    saved[name] = String(pick(result, path))
  }
  return result === undefined ? null : show(result, step)
}

/** Whether a response of an operation, or a component that it refers to, has a `next_cursor`. */
function isList({ responses }: Operation): boolean {
  const described = JSON.stringify(responses)
  const referred = [...described.matchAll(/#\/components\/schemas\/(\w+)/g)].map(
    ([, name]) => document.components.schemas[name!],
  )
  return JSON.stringify([responses, referred]).includes('"next_cursor"')
}

async function follow(client: Client, step: Step): Promise<object[]> {
  const { types, take } = step.follow!
  const shown: object[] = []
  for await (const event of client.events.follow({ types })) {
    shown.push(show(event, step))
    if (shown.length === take) break
  }
  return shown
}

/** Separates the arguments as the client expects them. */
function initOf({ parameters = [] }: Operation, values: Readonly<Record<string, unknown>>) {
  const placeOf = (name: string): string =>
    parameters.find((parameter) => parameter.name === name)?.in ?? 'body'
  const inPlace = (place: string) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => placeOf(name) === place))
  const body = inPlace('body')
  return {
    params: { path: inPlace('path'), query: inPlace('query') },
    ...(Object.keys(body).length > 0 && { body }),
  }
}

const clients = Object.fromEntries(
  Object.entries(given.clients).map(([name, settings]) => [name, connect(fill(settings))]),
)
const results: unknown[] = []
for (const step of given.steps) results.push(await outcomeOf(fill(step)))
process.stdout.write(JSON.stringify({ results, saved }))
