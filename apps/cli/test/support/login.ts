import { makeMachine, keyringOver, type Situation } from './hctl.ts'
import { startDeviceServer } from './device-server.ts'
import type { Reply } from '../../../../test/support/receiver.ts'
import type { Keyring } from '../../src/storage/keychain.ts'

/** Runs `hctl login` at a server that returns these poll responses in turn. */
export async function logIn(
  polls: readonly Reply[],
  situation: Situation & { words?: string; others?: Record<string, Reply> } = {},
) {
  const device = await startDeviceServer(polls, situation.others)
  const machine = await makeMachine({ HCTL_URL: device.server })
  const line = `login ${situation.words ?? '--json'}`
  const result = await machine.hctl(line, { hurry: true, ...situation })
  await device.close()
  return { ...machine, result, device, seconds: machine.sleeps.map((ms) => ms / 1_000) }
}

export const codeRequested = 'POST /oauth/device_authorization'
export const polled = 'POST /oauth/token'

/** A keychain that works for a number of calls and fails from then on. */
export function failingKeyring(workingCalls: number): () => Promise<Keyring> {
  const working = keyringOver(new Map())
  let calls = 0
  const guard =
    <A extends unknown[], T>(call: (...given: A) => Promise<T>) =>
    (...given: A) =>
      calls++ < workingCalls ? call(...given) : Promise.reject(new Error('locked'))
  return () =>
    Promise.resolve({
      read: guard(working.read),
      write: guard(working.write),
      remove: guard(working.remove),
    })
}
