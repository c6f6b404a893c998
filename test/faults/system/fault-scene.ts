import type { Recorder } from '../history/recorder.ts'
import type { Receivers } from './receivers.ts'
import type { TrialSystem } from './trial-system.ts'
import type { World } from './world.ts'

/** What faults affect. */
export interface FaultScene {
  readonly system: TrialSystem
  readonly receivers: Receivers
  readonly recorder: Recorder
  readonly world: World
}
