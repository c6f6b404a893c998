// `npm run publish-event [-- EVENT_TYPE]`: publishes an event of the demo organization to the system that `npm start`
// runs.
import { join } from 'node:path'
import { root } from './run.ts'
import { publish } from './start/publish.ts'
import { say } from './start/say.ts'

const { text, exitCode } = await publish(join(root, '.local'), process.argv.slice(2)).catch(
  (error: unknown) => ({
    text: String(error instanceof Error ? error.message : error),
    exitCode: 1,
  }),
)
say(text)
process.exitCode = exitCode
