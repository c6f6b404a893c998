// Requests of one sender in a separate process, so that they delay no timer of the measurement. It prints `listening` when
// it is ready, starts on a line of standard input, and prints its results after the given time.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { putLoad, type LoadRequest } from './load.ts'

/** What a flood consists of: the environment's variable `FLOOD`, as JSON. */
export interface Flood {
  readonly url: string
  readonly requests: readonly LoadRequest[]
  readonly connections: number
  readonly seconds: number
}

const { url, requests, ...extent } = JSON.parse(process.env['FLOOD']!) as Flood
const say = (entry: object): void => void process.stdout.write(`${JSON.stringify(entry)}\n`)
say({ msg: 'listening', port: 0 })
await once(createInterface(process.stdin), 'line')
say(await putLoad(url, requests, extent))
process.exit(0)
