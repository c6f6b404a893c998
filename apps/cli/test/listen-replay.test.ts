import { describe, expect, test } from '@jest/globals'
import { siteData } from '../../../test/support/events.ts'
import { documentOf, failureOf, interruptible, linesOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

const publish = async (): Promise<string> => {
  const event = { tenant_id: user.tenant.id, type: 'site.created', data: siteData }
  const { body } = await user.api.callInternal('post', '/events', event)
  return body.items[0].id as string
}

/** Listens until `count` events have arrived, and runs something when the stream is open. */
async function listen(words: string, count: number, whenOpen?: () => Promise<unknown>) {
  const { signal, interrupt } = interruptible()
  let left = count
  let opened: Promise<unknown> | undefined
  const result = await hctl(`listen --json ${words}`.trim(), {
    signal,
    onText(text) {
      if (text.includes('"listening"')) opened = whenOpen?.()
      if (text.includes('"event"') && --left === 0) interrupt()
    },
  })
  await opened
  return linesOf(result)
}

describe('hctl trigger', () => {
  test('exits with 1 and says what to do if nothing listens', async () => {
    const refused = await hctl('trigger site.created')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Run hctl listen in another terminal first')
  })

  test('sends an example with the given members to the listener of the same profile', async () => {
    let triggered
    const lines = await listen('', 1, async () => {
      const set = '--set data.will_retry=false --set data.account_id=acc-7'
      triggered = documentOf(await hctl(`trigger backup.failed ${set} --json`))
    })
    expect(triggered).toEqual({ streams: 1 })
    expect(lines[1]).toMatchObject({ status: 'event', type: 'backup.failed' })
  })

  test.each([
    ['site.moved', { exit: 2, code: 'validation_failed' }],
    ['site.created --set primary_domain=x', { exit: 2, code: 'usage' }],
    ['site.created --set data.zone', { exit: 2, code: 'usage' }],
    ['site.created --set data.a=1 --set data.a=2', { exit: 2, code: 'usage' }],
    ['site.created --set data.zone=x', { exit: 1, code: 'validation_failed' }],
  ])('refuses %s', async (words, failure) => {
    expect(failureOf(await hctl(`trigger ${words} --json`))).toEqual(failure)
  })
})

describe('hctl listen', () => {
  test('killed in the middle, it takes no event from another stream, which gets each once', async () => {
    const published: string[] = []
    let killed: ReturnType<typeof listen> | undefined
    const rest = await listen('', 4, async () => {
      killed = listen('', 1, async () => {
        for (let count = 0; count < 4; count++) published.push(await publish())
      })
    })
    expect((await killed!).filter(({ status }) => status === 'event')).not.toHaveLength(0)
    expect(rest.flatMap(({ id }) => id ?? []).toSorted()).toEqual(published.toSorted())
  })
})

describe('hctl listen --replay', () => {
  test('sends a delivery, an event, or what the filters choose, once', async () => {
    const words = 'webhooks create --json --url http://127.0.0.1:9/hook --event-type * --no-enabled'
    await hctl(words)
    const event = await publish()
    const [delivery] = documentOf(await hctl('deliveries list --json')).items
    const replaying = { status: 'replaying', deliveries: 1 }
    for (const id of [delivery.id, event, event.slice(0, 20)]) {
      const lines = await listen(`--replay ${id}`, 1)
      expect(lines).toContainEqual(replaying)
      expect(lines).toContainEqual(expect.objectContaining({ type: 'site.created', id: event }))
    }
    expect(await listen('--replay --since 1h --status paused', 1)).toContainEqual(replaying)
  })

  test('killed in the middle, it has changed no delivery, and repeated it sends each once', async () => {
    await hctl('webhooks create --json --url http://127.0.0.1:9/hook --event-type * --no-enabled')
    const events = [await publish(), await publish(), await publish()]
    const paused = 'deliveries list --status paused --limit 0 --json'
    const { items: before } = documentOf(await hctl(paused))
    const replay = '--replay --since 1h --status paused'
    const idsOf = (lines: readonly Record<string, unknown>[]) =>
      lines.flatMap(({ status, id }) => (status === 'event' ? [id as string] : []))
    const killed = idsOf(await listen(replay, 2))
    expect(killed.length).toBeLessThan(before.length)
    expect(documentOf(await hctl(paused)).items).toEqual(before)

    const repeated = idsOf(await listen(replay, before.length))
    expect(repeated.toSorted()).toEqual(
      before.map(({ event }: { event: { id: string } }) => event.id).toSorted(),
    )
    expect(repeated).toEqual(expect.arrayContaining([...events, ...killed]))
    expect(documentOf(await hctl(paused)).items).toEqual(before)
  })

  test('exits with 1 for an id that is neither a delivery nor an event', async () => {
    const { id } = user.tenant
    expect(failureOf(await hctl(`listen --replay ${id} --json`))).toEqual({
      exit: 1,
      code: 'not_found',
    })
  })

  test.each(['--replay', '--since 1h', '--status failed', '--replay 01234567 --since 1h'])(
    'refuses %s',
    async (words) => {
      expect(failureOf(await hctl(`listen ${words} --json`))).toEqual({ exit: 2, code: 'usage' })
    },
  )
})
