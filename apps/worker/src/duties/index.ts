import { abandon } from './abandon.ts'
import type { Duty } from './duty.ts'
import { partitions } from './partitions.ts'
import { relay } from './relay.ts'

/** The one table of the worker's periodic duties. */
export const duties: readonly Duty[] = [partitions, relay, abandon]
