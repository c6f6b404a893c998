import { eventTypes, publishableTypes } from '@hosting/core/webhooks'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { useApi } from '../../test/support/api.ts'
import { serviceToken } from '../../test/support/environment.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { freePort } from '../local-stack/free-port.ts'
import { root } from '../run.ts'
import { demoTenantId } from './demo.ts'
import { publish } from './publish.ts'

const api = useApi()
let directory = ''

/** A data folder as `npm start` leaves it. */
function makeDirectory(internalUrl: string): string {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'api-internal.port'), new URL(internalUrl).port)
  writeFileSync(join(folder, 'start.json'), JSON.stringify({ serviceToken }))
  return folder
}

beforeAll(async () => {
  await api.callInternal('put', `/tenants/${demoTenantId}`, { slug: 'demo', name: 'Acme' })
  directory = makeDirectory(api.internalUrl)
})

/** The events that the output of a command names. */
async function publishedEvents(printed: string) {
  const id = /event ([\w-]{36})$/.exec(printed)?.[1]
  const events = await api.database.prisma.event.findMany({ where: { eventId: id! } })
  return events.map(({ type, payload }) => ({ type, envelope: JSON.parse(payload) as unknown }))
}

describe('npm run publish-event', () => {
  test.each(['backup.failed', 'site.created', 'dns.records_changed'])(
    'publishes exactly %s, with the example of the type',
    async (type) => {
      const printed = await publish(directory, [type])
      expect(printed).toMatchObject({ exitCode: 0 })
      expect(printed.text).toContain(`Published ${type}, event `)
      expect(await publishedEvents(printed.text)).toMatchObject([
        { type, envelope: { type, tenant_id: demoTenantId, data: eventTypes.get(type)!.example } },
      ])
    },
  )

  test('publishes site.created without a type', async () => {
    const { text: printed } = await publish(directory, [])
    expect(await publishedEvents(printed)).toMatchObject([{ type: 'site.created' }])
  })

  test('accepts every type that it lists', async () => {
    const { text: help } = await publish(directory, ['--help'])
    const listed = [...help.matchAll(/^ {2}([a-z]+\.[a-z_]+) /gm)].map(([, type]) => type!)
    expect(listed).toEqual(publishableTypes)
    for (const type of listed) {
      expect(await publish(directory, [type])).toMatchObject({ exitCode: 0 })
    }
  })

  test.each(['backup.fail', 'webhook.ping', 'invoice.ready', '*'])(
    'refuses %s with exit code 2, naming it and the types, and publishes nothing',
    async (type) => {
      const before = await api.database.prisma.event.count()
      const printed = await publish(directory, [type])
      expect(printed.exitCode).toBe(2)
      expect(printed.text).toContain(`${type} is not an event type that can be published.`)
      expect(printed.text).toContain('  backup.failed ')
      expect(await api.database.prisma.event.count()).toBe(before)
    },
  )

  test.each([
    [['--typ', 'backup.failed'], /Unknown option '--typ'/],
    [['backup.failed', 'site.created'], /Name one event type/],
  ])('refuses %j with its usage', async (args, problem) => {
    const printed = await publish(directory, args)
    expect(printed.exitCode).toBe(2)
    expect(printed.text).toMatch(problem)
    expect(printed.text).toContain('Usage: npm run publish-event -- [EVENT_TYPE]')
  })

  test('says that npm start must be running', async () => {
    const empty = makeTemporaryFolder()
    expect(await publish(empty, [])).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining('npm start has never run here'),
    })
    const stopped = makeDirectory(`http://127.0.0.1:${await freePort()}`)
    expect(await publish(stopped, [])).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining('Run npm start, and publish while it is running.'),
    })
  })

  test('exits with 2 and names an unknown event type', async () => {
    const child = spawn(process.execPath, ['tools/publish-event.ts', 'backup.fail'], { cwd: root })
    const ended = new Promise((resolve) => child.once('close', resolve))
    expect(await text(child.stdout)).toMatch(/^backup\.fail is not an event type/)
    expect(await ended).toBe(2)
  })
})
