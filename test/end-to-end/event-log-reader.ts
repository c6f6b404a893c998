// Follows the event log with the SDK, from the last line of a file on, and appends a line with the id and the cursor of
// each event. A line is one write, so a reader that is killed at any moment has stored both or neither.
import { createClient } from '@hosting/sdk'
import { appendFileSync, readFileSync } from 'node:fs'

const { BASE_URL: baseUrl, TOKEN: token, FILE: file } = process.env as Record<string, string>
const lines = readFileSync(file!, 'utf8').trimEnd().split('\n')
const [, after] = lines.at(-1)!.split(' ')
const events = createClient({ baseUrl: baseUrl!, token: token! }).events.follow({ after })
for await (const { id } of events) appendFileSync(file!, `${id} ${events.cursor}\n`)
