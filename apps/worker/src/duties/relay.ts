import type { Duty } from './duty.ts'

/** Creates jobs for due attempts that have none. */
export const relay: Duty = {
  name: 'relay',
  everyMs: 250,
  run: (services) => services.relay.sweep(),
  pause: (services, stopping) => services.relay.pause(stopping),
}
