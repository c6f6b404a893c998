import { ApiProblem, type BodyOf, type Client } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { CliError, exitCodes, usageError } from '../exit-codes.ts'
import type { Option } from '../options.ts'

type Body = BodyOf<'/webhooks/listen/trigger', 'post'>

const set: Option<string[] | undefined> = {
  placeholder: 'member=value',
  description:
    'Member of the data, such as data.primary_domain=shop.example.com, in place of the example (repeatable)',
  repeatable: true,
  field: 'data',
  parse: (value, previous = []) => [...previous, value],
}

/** Sends an example event to the streams of the caller. */
export const trigger = command({
  path: 'trigger',
  summary: 'Send an example event to your own hctl listen, and to nobody else',
  examples: [
    'hctl trigger site.created',
    'hctl trigger site.created --set data.primary_domain=shop.example.com',
  ],
  arguments: {
    type: { description: 'Event type, such as site.created', values: 'event-type' },
  },
  options: { set },
  async run(context, { type, set: given = [] }) {
    const client = await signedInClient(context)
    const { items } = await client.GET('/webhooks/event-types')
    const known = items.find((each) => each.type === type)
    if (!known) {
      throw new CliError('validation_failed', `"${type}" is not an event type.`, {
        exitCode: exitCodes.usage,
        hint: 'hctl events types shows the valid values.',
      })
    }
    const { streams } = await triggerType(client, {
      type,
      data: readMembers(given, known.schema),
    })
    const shown = streams === 1 ? '1 stream' : `${streams} streams`
    context.output.result({ streams }, [`${type} is sent to ${shown}.`])
  },
})

/** Sends an example event to the open streams of the caller. */
export async function triggerType(
  client: Client,
  { type, data }: { readonly type: string; readonly data?: Record<string, unknown> },
): Promise<{ streams: number }> {
  try {
    return await client.POST('/webhooks/listen/trigger', {
      // The service may know newer event types than this program, so it checks the type.
      body: { type: type as Body['type'], ...(data && { data }) },
    })
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'conflict') throw error
    throw new CliError('not_listening', 'Nothing listens with this key.', {
      hint: 'Run hctl listen in another terminal first, with the same profile.',
    })
  }
}

/** Reads `data.name=value`. A value is text, unless the schema of the type says that the member is true or false. */
function readMembers(
  given: readonly string[],
  schema: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, { readonly type?: string }>
  const members = new Map<string, unknown>()
  for (const each of given) {
    const [, name, value = ''] = /^data\.(\w+)=(.*)$/s.exec(each) ?? []
    if (name === undefined) {
      throw usageError('usage', `--set ${each} has not the form data.<member>=<value>.`)
    }
    if (members.has(name)) throw usageError('usage', `--set data.${name} is given twice.`)
    const isBoolean = properties[name]?.type === 'boolean' && /^(true|false)$/.test(value)
    members.set(name, isBoolean ? value === 'true' : value)
  }
  return Object.fromEntries(members)
}
