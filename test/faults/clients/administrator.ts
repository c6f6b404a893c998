import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Recorder } from '../history/recorder.ts'
import type { OperationStep } from '../schedule/schedule.ts'
import type { Receivers } from '../system/receivers.ts'
import type { ServiceSlot } from '../system/service-slot.ts'
import type { World } from '../system/world.ts'
import { callPublic, outcomeOf, type Reply } from './request.ts'

/** What the administrator works with. */
export interface Office {
  readonly recorder: Recorder
  readonly apis: readonly ServiceSlot[]
  readonly world: World
  readonly receivers: Receivers
}

/** Changes endpoints as their organization's administrator. Changes of one endpoint follow each other. */
export interface Administrator {
  /** Makes the change of a step. Resolves when its outcome is known, or known to be unknown. */
  run(step: OperationStep): Promise<void>
  /** Enables every endpoint and ends every throttle, again and again until it succeeds. */
  release(): Promise<void>
}

const recorderName = 'administrator'

/** Creates the administrator of all organizations. */
export function createAdministrator(office: Office): Administrator {
  const turns = new Map<string, Promise<unknown>>()
  const inTurn = <T>(endpoint: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(endpoint) ?? Promise.resolve()).then(work)
    turns.set(
      endpoint,
      turn.catch(() => undefined),
    )
    return turn
  }
  const { endpoints } = office.world
  return {
    run: (step) => {
      const { id } = endpoints[step.endpoint]!
      return inTurn(id, async () => void (await operations[step.name](office, id, step)))
    },
    async release() {
      await Promise.all(
        endpoints.map(({ id }) =>
          inTurn(id, async () => {
            await untilSettled(() => enable(office, id))
            await untilSettled(() => throttle(office, id, null))
          }),
        ),
      )
    },
  }
}

/** Repeats a change whose outcome is unknown, and one that the rate limit refused. */
async function untilSettled(change: () => Promise<Reply>): Promise<void> {
  for (;;) {
    const reply = await change()
    if (outcomeOf(reply) !== 'info' && reply!.status !== 429) return
    await setTimeout(500)
  }
}

type Operation = (office: Office, endpoint: string, step: OperationStep) => Promise<unknown>

const operations: Readonly<Record<OperationStep['name'], Operation>> = {
  disable: (office, endpoint) => patch(office, 'disable', { endpoint }, { enabled: false }),
  enable: (office, endpoint) => enable(office, endpoint),
  throttle: (office, endpoint, { perSecond }) => throttle(office, endpoint, perSecond),
  describe: (office, endpoint) => {
    const description = randomUUID()
    return patch(office, 'describe', { endpoint, description }, { description })
  },
  rotate,
  ping,
  redeliver,
  recover,
  async delete(office, endpoint) {
    const call = office.recorder.invoke(recorderName, 'delete', { endpoint })
    const reply = await send(office, ['delete', `/webhooks/${endpoint}`], { endpoint })
    call[outcomeOf(reply)]({ status: reply?.status })
  },
}

const enable = (office: Office, endpoint: string): Promise<Reply> =>
  patch(office, 'enable', { endpoint }, { enabled: true })

const throttle = (office: Office, endpoint: string, perSecond: number | null): Promise<Reply> =>
  patch(office, 'throttle', { endpoint, perSecond }, { rate_limit_per_second: perSecond })

async function patch(
  office: Office,
  name: 'disable' | 'enable' | 'throttle' | 'describe',
  value: { endpoint: string; perSecond?: number | null; description?: string },
  body: object,
): Promise<Reply> {
  const call = office.recorder.invoke(recorderName, name, {
    perSecond: null,
    description: '',
    ...value,
  })
  const reply = await send(office, ['patch', `/webhooks/${value.endpoint}`], { ...value, body })
  call[outcomeOf(reply)]({ status: reply?.status })
  return reply
}

async function rotate(
  office: Office,
  endpoint: string,
  { overlapSeconds }: OperationStep,
): Promise<void> {
  const call = office.recorder.invoke(recorderName, 'rotate', { endpoint, overlapSeconds })
  const body = { grace_seconds: overlapSeconds }
  const reply = await send(office, ['post', `/webhooks/${endpoint}/rotate-secret`], {
    endpoint,
    body,
  })
  const outcome = outcomeOf(reply)
  if (outcome !== 'ok') return call[outcome]({ status: reply?.status })
  const secret = `${endpoint.slice(-4)}.${Math.round(office.recorder.now())}`
  office.receivers.addSecret(endpoint, secret, reply!.body.secret as string)
  call.ok({ secret })
}

async function ping(office: Office, endpoint: string): Promise<void> {
  const idempotencyKey = randomUUID()
  await twice(office, endpoint, {
    invoke: () => office.recorder.invoke(recorderName, 'ping', { endpoint, idempotencyKey }),
    path: `/webhooks/${endpoint}/ping`,
    idempotencyKey,
  })
}

async function redeliver(office: Office, endpoint: string): Promise<void> {
  const delivery = office.recorder.entries.findLast(
    ({ name, value }) => name === 'deliver' && 'endpoint' in value && value.endpoint === endpoint,
  )?.value as { delivery: string } | undefined
  if (!delivery) return
  const idempotencyKey = randomUUID()
  const value = { endpoint, delivery: delivery.delivery, idempotencyKey }
  await twice(office, endpoint, {
    invoke: () => office.recorder.invoke(recorderName, 'redeliver', value),
    path: `/webhook-deliveries/${value.delivery}/redeliver`,
    idempotencyKey,
  })
}

/** Sends a request at both processes with the same Idempotency-Key, the second one a moment later. */
async function twice(
  office: Office,
  endpoint: string,
  request: {
    invoke: () => ReturnType<Recorder['invoke']>
    path: string
    idempotencyKey: string
  },
): Promise<void> {
  const one = async (index: number): Promise<void> => {
    const call = request.invoke()
    const headers = { 'idempotency-key': request.idempotencyKey }
    const reply = await send(office, ['post', request.path], { endpoint, headers, index })
    const outcome = outcomeOf(reply)
    if (outcome === 'ok') call.ok({ delivery: reply!.body.delivery.id as string })
    else call[outcome]({ status: reply?.status })
  }
  await Promise.all([one(0), setTimeout(20).then(() => one(1))])
}

async function recover(office: Office, endpoint: string): Promise<void> {
  const call = office.recorder.invoke(recorderName, 'recover', { endpoint })
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const reply = await send(office, ['post', `/webhooks/${endpoint}/recover`], {
    endpoint,
    body: { since },
  })
  call[outcomeOf(reply)]({ status: reply?.status })
}

/** Sends a request with the key of the endpoint's organization, at any process or at a given one. */
function send(
  { apis, world }: Office,
  request: readonly [string, string],
  {
    endpoint,
    index = Math.floor(Math.random() * apis.length),
    ...options
  }: { endpoint: string; index?: number; body?: object; headers?: Record<string, string> },
): Promise<Reply> {
  return callPublic(apis[index % apis.length]!, request, {
    token: world.tokenOf(endpoint),
    ...options,
  })
}
