import { eventTypes, publishableTypes } from '@hosting/core/webhooks'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recall } from '../local-stack/remembered.ts'
import { CallError, callWith, type Call } from './http.ts'
import { readStartState } from './start-state.ts'
import { demoTenantId } from './demo.ts'

/** What is published where no type is given. */
export const demoEventType = 'site.created'

interface DemoEvent {
  readonly id: string
  readonly type: string
}

/** Publishes an event of the demo organization, with the example of its type, as a service of the platform does. */
export async function publishDemoEvent(callInternal: Call, { id, type }: DemoEvent): Promise<void> {
  const { example } = eventTypes.get(type)!
  await callInternal('POST', '/events', { id, type, tenant_id: demoTenantId, data: example })
}

/** What to print, and whether the command failed. */
export interface Printed {
  readonly text: string
  readonly exitCode: 0 | 1 | 2
}

const usage =
  'Usage: npm run publish-event -- [EVENT_TYPE]\n' +
  `Publishes an event of the demo organization with example data (default: ${demoEventType}).\n` +
  'npm start must be running.'

/** `npm run publish-event`: publishes an event to the system that `npm start` runs with this data folder. */
export async function publish(directory: string, args: readonly string[]): Promise<Printed> {
  const asked = readArguments(args)
  if (typeof asked !== 'string') return asked
  const type = asked
  const port = await recall(join(directory, 'api-internal.port'))
  const state = await readStartState(join(directory, 'start.json'))
  if (port === undefined || state?.serviceToken === undefined) {
    return failed('npm start has never run here. Run it, and publish while it is running.')
  }
  const url = `http://127.0.0.1:${port}/internal/v1`
  const id = randomUUID()
  const call = callWith(url, state.serviceToken, new AbortController().signal)
  try {
    await publishDemoEvent(call, { id, type })
  } catch (error) {
    if (error instanceof CallError) throw error
    return failed(`Nothing responds at ${url}. Run npm start, and publish while it is running.`)
  }
  return { text: `Published ${type}, event ${id}`, exitCode: 0 }
}

/** The event type to publish, or what to print instead. */
function readArguments(args: readonly string[]): string | Printed {
  const parsed = parse(args)
  if (typeof parsed === 'string') return misused(parsed)
  if (parsed.values.help) return { text: `${usage}\n\n${listTypes()}`, exitCode: 0 }
  const [type = demoEventType, ...more] = parsed.positionals
  if (more.length > 0) return misused('Name one event type.')
  if (publishableTypes.includes(type)) return type
  return misused(`${type} is not an event type that can be published.`)
}

function parse(args: readonly string[]) {
  try {
    const options = { help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    return (error as Error).message
  }
}

const failed = (text: string): Printed => ({ text, exitCode: 1 })

const misused = (problem: string): Printed => ({
  text: `${problem}\n\n${usage}\n\n${listTypes()}`,
  exitCode: 2,
})

function listTypes(): string {
  const rows = publishableTypes.map(
    (type) => `  ${type.padEnd(21)} ${eventTypes.get(type)!.description}`,
  )
  return ['Event types:', ...rows].join('\n')
}
