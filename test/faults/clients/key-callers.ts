import { setTimeout } from 'node:timers/promises'
import type { Key } from '../history/entries.ts'
import type { Recorder } from '../history/recorder.ts'
import type { Random } from '../schedule/random.ts'
import type { ServiceSlot } from '../system/service-slot.ts'
import type { World } from '../system/world.ts'
import { callPublic, outcomeOf } from './request.ts'

/** A key with its token. */
interface CallerKey extends Key {
  readonly token: string
}

/** Callers with keys of their own. */
export interface KeyCallers {
  readonly keys: readonly Key[]
  /** Uses the keys at all processes, and revokes some, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

const keyCount = 6
const pauseMs = 250
/** The limit of one key, which its caller exceeds. The others stay within theirs. */
const exceededPerMinute = 20

/** Creates the keys: one is used beyond its rate limit, one expires during the run, and the others are revoked. */
export async function makeKeyCallers(
  scene: {
    readonly recorder: Recorder
    readonly apis: readonly ServiceSlot[]
    readonly world: World
  },
  random: Random,
  ms: number,
): Promise<KeyCallers> {
  const keys: CallerKey[] = []
  for (let index = 0; index < keyCount; index++) {
    const expiresAt = index === 1 ? new Date(Date.now() + ms / 2) : undefined
    keys.push(await makeKey(scene, index === 0 ? exceededPerMinute : 600, expiresAt))
  }
  return {
    keys: keys.map(({ token: _token, ...key }) => key),
    async run(signal) {
      await Promise.all(
        keys.map((key, index) =>
          runCaller(scene, key, { index, random: random.fork(), ms, signal }),
        ),
      )
    },
  }
}

async function makeKey(
  { recorder, apis, world }: Parameters<typeof makeKeyCallers>[0],
  perMinute: number,
  expiresAt: Date | undefined,
): Promise<CallerKey> {
  const reply = await callPublic(apis[0]!, ['post', '/api-keys'], {
    token: world.tenants[0]!.token,
    body: {
      name: 'caller',
      scopes: ['webhooks:read'],
      rate_limit_per_minute: perMinute,
      ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    },
  })
  if (reply?.status !== 201) throw new Error(`A key was not created: ${JSON.stringify(reply)}`)
  const { key, token } = reply.body as { key: { id: string }; token: string }
  return {
    id: key.id,
    perMinute,
    expiresAt: expiresAt ? recorder.toHistoryMs(expiresAt.getTime()) : null,
    token,
  }
}

/** Uses a key at all processes in turn. Keys from the third on are revoked at some time. */
async function runCaller(
  { recorder, apis, world }: Parameters<typeof makeKeyCallers>[0],
  key: CallerKey,
  { index, random, ms, signal }: { index: number; random: Random; ms: number; signal: AbortSignal },
): Promise<void> {
  const revokeAt = index >= 2 ? recorder.now() + random.integer(0.2 * ms, 0.9 * ms) : Infinity
  let revoking: Promise<void> | undefined
  for (let turn = index; !signal.aborted; turn++) {
    if (recorder.now() > revokeAt) revoking ??= revoke(key)
    await use(apis[turn % apis.length]!)
    await setTimeout(pauseMs)
  }
  await revoking

  async function use(slot: ServiceSlot): Promise<void> {
    const call = recorder.invoke(`caller ${index + 1}`, 'use', { key: key.id })
    const reply = await callPublic(slot, ['get', '/auth/me'], { token: key.token })
    if (reply?.status === 200) call.ok({})
    else if (reply?.status === 401) call.fail({ status: 401 })
    else call.info({ status: reply?.status })
  }

  async function revoke({ id }: Key): Promise<void> {
    const call = recorder.invoke('administrator', 'revoke', { key: id })
    const slot = apis[index % apis.length]!
    const { token } = world.tenants[0]!
    const reply = await callPublic(slot, ['delete', `/api-keys/${id}`], { token })
    call[outcomeOf(reply)]({ status: reply?.status })
  }
}
