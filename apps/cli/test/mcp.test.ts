import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as OtherTransport } from '@ai-sdk/mcp/mcp-stdio'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { spawn } from 'node:child_process'
import * as consumers from 'node:stream/consumers'
import { root } from '../../../tools/run.ts'
import { useApi, type TestTenant } from '../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../test/support/session.ts'
import { operations } from '../src/generated/operations.ts'

const api = useApi()
const endpoint = { url: 'http://127.0.0.1:9/hook', events: ['site.*'], external_id: 'billing' }

let tenant: TestTenant
let call: ReturnType<typeof callWith>
let webhookId: string
beforeAll(async () => {
  tenant = await api.makeTenant()
  call = callWith(api, await makeSignedIn(api, tenant))
  webhookId = (await call('post', '/webhooks', { body: endpoint })).body.webhook.id
})

const clients: { close(): Promise<void> }[] = []
afterAll(() => Promise.all(clients.map((client) => client.close())))

/** How an agent starts the server, with a key of these scopes. */
async function commandOf(scopes: readonly string[], ...words: string[]) {
  const body = { name: 'agent', kind: 'organization', scopes }
  const { token } = (await call('post', '/api-keys', { body })).body as { token: string }
  return {
    command: process.execPath,
    args: [`${root}apps/cli/bin/hctl.js`, 'mcp', ...words],
    env: { HCTL_URL: api.url, HCTL_TOKEN: token },
  }
}

async function connect(scopes: readonly string[], ...words: string[]) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport(await commandOf(scopes, ...words)))
  clients.push(client)
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  const use = (name: string, args = {}) => client.callTool({ name, arguments: args })
  return { client, names, use }
}

const reads = operations.filter(({ method }) => method === 'GET').map(({ name }) => name)

describe('hctl mcp', () => {
  test('offers what the key may call, and only reads', async () => {
    const everything = await connect(['*'])
    expect(await everything.names()).toEqual(reads)
    const webhooks = await connect(['webhooks:read'])
    const names = await webhooks.names()
    expect(names).toContain('webhooks_completeness')
    expect(names.filter((name) => /^(api_keys_list|audit_log)/.test(name))).toEqual([])
    const { tools } = await webhooks.client.listTools()
    const deliveries = tools.find(({ name }) => name === 'webhooks_deliveries')!
    expect(deliveries.annotations).toMatchObject({ readOnlyHint: true })
    expect(deliveries.inputSchema).toMatchObject({
      required: ['id'],
      properties: { id: { type: 'string' }, limit: { type: 'integer' } },
    })
  })

  test('gives the body of the response as a structured result', async () => {
    const { use } = await connect(['webhooks:read'])
    const found = await use('webhooks_list', { external_id: 'billing', limit: 5 })
    expect(found.isError).toBeUndefined()
    expect(found.structuredContent).toMatchObject({ items: [{ id: webhookId, ...endpoint }] })
    const one = await use('webhooks_get', { id: webhookId })
    expect(one.structuredContent).toMatchObject({ webhook: { id: webhookId } })
  })

  test('every value that a list offers for an argument gives a result', async () => {
    const { client, use } = await connect(['*'])
    const { tools } = await client.listTools()
    const choices = tools
      .filter(({ inputSchema }) => inputSchema.required?.length === 0)
      .flatMap(({ name, inputSchema }) =>
        Object.entries(inputSchema.properties as Record<string, { enum?: readonly string[] }>)
          .flatMap(([argument, { enum: values = [] }]) =>
            values.map((value) => ({ [argument]: value })),
          )
          .map((args) => ({ name, args })),
      )
    expect(choices).toContainEqual({ name: 'audit_log_list', args: { outcome: 'refused' } })
    for (const { name, args } of choices) {
      const { isError, structuredContent } = await use(name, args)
      expect({ name, args, isError, structuredContent }).toMatchObject({
        isError: undefined,
        structuredContent: { items: expect.any(Array) },
      })
    }
  })

  test('a refused call has the problem with its remedy', async () => {
    const { use } = await connect(['webhooks:read'])
    const refused = await use('api_keys_list')
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: {
        error: {
          code: 'insufficient_scope',
          status: 403,
          remedy: expect.stringContaining('scope'),
        },
      },
    })
    expect((await use('webhooks_list', { limit: 0 })).structuredContent).toMatchObject({
      error: { code: 'validation_failed', errors: [{ pointer: '/limit' }] },
    })
    expect((await use('webhooks_get', { identity: 1 })).structuredContent).toEqual({
      error: {
        code: 'invalid_arguments',
        message: 'There is no argument identity. The argument id is missing.',
        remedy: 'The arguments are: id.',
      },
    })
  })

  test('changes something only with --allow-writes', async () => {
    const ping = { id: webhookId }
    const reader = await connect(['*'])
    expect((await reader.use('webhooks_ping', ping)).structuredContent).toMatchObject({
      error: { code: 'writes_not_allowed', remedy: expect.stringContaining('--allow-writes') },
    })
    const deliveries = async () => (await call('get', '/webhook-deliveries')).body.items.length
    expect(await deliveries()).toBe(0)
    const writer = await connect(['*'], '--allow-writes')
    expect((await writer.use('webhooks_ping', ping)).isError).toBeUndefined()
    expect(await deliveries()).toBe(1)
    const change = { id: webhookId, description: 'Changed by an agent' }
    expect((await writer.use('webhooks_update', change)).structuredContent).toMatchObject({
      webhook: { description: 'Changed by an agent' },
    })
  })

  test('never offers to delete, revoke, rotate or create keys, whatever is allowed', async () => {
    const { names, use } = await connect(['*'], '--allow-writes')
    // A new operation that changes something gets into this list by a decision.
    expect((await names()).filter((name) => !reads.includes(name)).toSorted()).toEqual([
      'api_keys_update',
      'webhook_deliveries_redeliver',
      'webhook_deliveries_retry_now',
      'webhooks_create',
      'webhooks_ping',
      'webhooks_recover',
      'webhooks_replay',
      'webhooks_retry_now',
      'webhooks_test',
      'webhooks_trigger',
      'webhooks_update',
    ])
    for (const name of ['webhooks_delete', 'api_keys_create', 'webhooks_rotate_secret']) {
      const refused = await use(name, { id: webhookId })
      expect(refused.structuredContent).toMatchObject({ error: { code: 'unknown_tool' } })
    }
  })

  test('has prompts that name only tools that exist', async () => {
    const { client } = await connect(['*'])
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ title }) => title)).toEqual([
      'Why is this endpoint failing?',
      'Replay what was missed',
      'Prove that nothing is missing',
    ])
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: { endpoint: 'billing' } })
      const { text } = messages[0]!.content as { text: string }
      expect(text).toContain('"billing"')
      const named = text.match(/\b\w+_\w+\b/g)!.filter((word) => word !== 'external_id')
      const known = new Set(operations.map((operation) => operation.name))
      expect(named.filter((word) => !known.has(word))).toEqual([])
    }
    await expect(client.getPrompt({ name: 'other' })).rejects.toThrow('no such prompt')
  })

  test('answers the requests that are running when its input ends', async () => {
    const { command, args, env } = await commandOf(['webhooks:read'])
    const requests = [
      {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'pipe', version: '1' },
        },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'webhooks_list', arguments: {} } },
      { id: 3, method: 'tools/list' },
    ]
    const lines = requests.map((request) => JSON.stringify({ jsonrpc: '2.0', ...request }))
    const program = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
    program.stdin.end(`${lines.join('\n')}\n`)
    const responses = (await consumers.text(program.stdout))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(responses.map(({ id }) => id).toSorted()).toEqual([1, 2, 3])
    const found = responses.find(({ id }) => id === 2)
    expect(found.result.structuredContent).toMatchObject({ items: [{ id: webhookId }] })
  })

  test('works with a client that does not use the official SDK', async () => {
    const transport = new OtherTransport(await commandOf(['webhooks:read']))
    const client = await createMCPClient({ transport })
    clients.push(client)
    expect(client.serverInfo).toMatchObject({ name: 'hctl' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('webhooks_list')
    const found = await client.callTool({ name: 'webhooks_list' })
    expect(found).toMatchObject({ structuredContent: { items: [{ id: webhookId }] } })
  })
})
