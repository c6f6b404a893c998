// `npm run publish-event`: publishes an event of the demo organization to the system that `npm start` runs.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { recall } from './local-stack/remembered.ts'
import { root } from './run.ts'
import { publishDemoEvent } from './start/demo-event.ts'
import { callWith } from './start/http.ts'
import type { StartState } from './start/start-state.ts'
import { say } from './start/say.ts'

const directory = join(root, '.local')
const port = await recall(join(directory, 'api-internal.port'))
const text = await recall(join(directory, 'start.json'))
if (port === undefined || text === undefined) throw new Error('Run npm start first.')

const { serviceToken } = JSON.parse(text) as StartState
const url = `http://127.0.0.1:${port}/internal/v1`
const id = randomUUID()
await publishDemoEvent(callWith(url, serviceToken, new AbortController().signal), id)
say(`Published site.created, event ${id}`)
