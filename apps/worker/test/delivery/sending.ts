import { createAddressPolicy, parseNetwork } from '@hosting/core/network'
import { type AttemptOutcome } from '@hosting/core/webhooks'
import { afterEach } from '@jest/globals'
import type { LookupAddress } from 'node:dns'
import { isIP, type Socket } from 'node:net'
import {
  startRawReceiver,
  startReceiver,
  type RawReceiver,
  type Receiver,
  type ReceiverOptions,
} from '../../../../test/support/receiver.ts'
import type { Resolve } from '@hosting/process'
import { createSender, type Sender, type SendRequest } from '../../src/delivery/send.ts'

/** A sender under test. */
export interface TestSenderOptions {
  /** By default long enough that no machine is too slow for an outcome that does not wait for it. */
  readonly timeoutMs?: number
  /** CIDRs. By default loopback is allowed, so that receivers can be reached. */
  readonly allowed?: readonly string[]
  readonly own?: readonly string[]
  /** The addresses of every name, or a resolver. By default loopback. */
  readonly resolve?: readonly string[] | Resolve
}

/** The senders and receivers of a test file. Each is closed when its test ends. */
export interface Sending {
  sender(options?: TestSenderOptions): Sender
  receiver(options?: ReceiverOptions): Promise<Receiver>
  rawReceiver(talk: (socket: Socket) => void): Promise<RawReceiver>
  /** Closes another resource when the test ends. */
  closing<T extends { close(): unknown }>(opened: T): T
}

/** Creates receivers and senders in a test file. */
export function useSending(): Sending {
  const opened: { close(): unknown }[] = []
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
  })
  const closing: Sending['closing'] = (each) => {
    opened.push(each)
    return each
  }
  return {
    closing,
    sender: (options = {}) => closing(makeSender(options)),
    receiver: async (options) => closing(await startReceiver(options)),
    rawReceiver: async (talk) => closing(await startRawReceiver(talk)),
  }
}

function makeSender({
  timeoutMs = 10_000,
  allowed = ['127.0.0.0/8'],
  own = [],
  resolve = ['127.0.0.1'],
}: TestSenderOptions): Sender {
  const policy = createAddressPolicy({
    own: own.map(parseNetwork),
    allowed: allowed.map(parseNetwork),
  })
  const resolver = typeof resolve === 'function' ? resolve : resolvingTo(...resolve)
  return createSender(policy, { timeoutMs, resolve: resolver })
}

/** A deadline that a test waits for, in ms. Even a busy machine connects well before it. */
export const shortMs = 1_000
/**
 * How much later than its deadline an attempt may end on a busy machine. Without a deadline it
 * would never end.
 */
export const slackMs = 5_000

/**
 * A port on which nothing listens. A port that was free could be assigned to another program, but
 * this one is never assigned automatically.
 */
export const closedPort = 1

/** A resolver that returns these addresses for every name. */
export const resolvingTo =
  (...addresses: string[]): Resolve =>
  () =>
    Promise.resolve(addresses.map((address): LookupAddress => ({ address, family: isIP(address) })))

/** A delivery to a URL, as the sender needs it. */
export const deliveryTo = (url: string, parts: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: { 'Content-Type': 'application/json', 'User-Agent': 'Service-Webhooks/1' },
  body: '{"id":"evt"}',
  tenantId: 'tenant',
  ...parts,
})

/** The outcome of an attempt with a successful response of this status, and of a failed attempt. */
export const success = (statusCode: number): AttemptOutcome => ({ statusCode, errorClass: null })
export const failure = (
  errorClass: AttemptOutcome['errorClass'],
  statusCode: number | null = null,
): AttemptOutcome => ({ statusCode, errorClass })

/** Runs something, and returns its result and its duration. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const start = performance.now()
  const result = await work()
  return { result, ms: performance.now() - start }
}
