import { describe, expect, test } from '@jest/globals'
import { apiMessages } from './log-messages.ts'
import { api, database, requestIds, secrets, worker } from './logged-system.ts'
import type { ServiceProcess } from './processes.ts'
import { until } from './until.ts'

export interface LogLine {
  readonly level: number
  readonly time: number
  readonly name: string
  readonly msg: string
  readonly requestId?: string
  readonly deliveryId?: string
  readonly number?: number
  readonly status?: number
  readonly errorClass?: string | null
  readonly err?: { readonly type: string; readonly message: string; readonly stack: string }
}

const linesOf = ({ lines }: ServiceProcess): LogLine[] =>
  lines.map((line) => JSON.parse(line) as LogLine)

/** The requests whose end is not logged. */
function findUnlogged(lines: readonly LogLine[]): readonly string[] {
  const ended = new Set(lines.filter(({ msg }) => msg === 'request').map((line) => line.requestId))
  return requestIds.filter((id) => !ended.has(id))
}

/** Resolves with the first line that is the expected one, once it is logged. */
export async function untilLogged(
  service: ServiceProcess,
  isIt: (line: LogLine) => boolean,
): Promise<LogLine> {
  const lines = await until(
    () => Promise.resolve(linesOf(service)),
    (logged) => logged.some(isIt),
  )
  return lines.find(isIt)!
}

/** Resolves once the worker has recorded the attempt that a line is about. */
export async function untilRecorded({ deliveryId, number }: LogLine): Promise<void> {
  await untilLogged(
    worker,
    (line) => line.msg === 'attempt' && line.deliveryId === deliveryId && line.number === number,
  )
  const { rowCount } = await database.pool.query(
    'SELECT 1 FROM recorded_attempts WHERE delivery_id = $1 AND number = $2',
    [deliveryId, number],
  )
  expect(rowCount).toBe(1)
}

/** What the worker logs when it cannot record an attempt. */
export const heldMessage = 'attempts are not recorded yet'
/** What the worker logs when it takes no jobs because of that. */
export const pauseMessage = 'attempts cannot be recorded: the worker takes no jobs until they can'

/** Tests what the processes have logged. */
export const describeLogs = (): void =>
  describe('the logs of these requests', () => {
    test('contain no secret', () => {
      expect(secrets.kinds.length).toBeGreaterThan(50)
      const found = [...api.lines, ...worker.lines].flatMap((line) =>
        secrets.findIn(line).map((what) => `${what}: ${line}`),
      )
      expect(found).toEqual([])
    })

    test('are JSON in every line, whichever code wrote it', () => {
      for (const [name, service] of Object.entries({ api, worker })) {
        const lines = linesOf(service)
        expect(lines.length).toBeGreaterThan(8)
        for (const line of lines) {
          expect(line).toMatchObject({ name, level: expect.any(Number), time: expect.any(Number) })
        }
      }
    })

    test('contain the request id in each line that a request caused', async () => {
      // A line may arrive after its response.
      const lines = await until(
        () => Promise.resolve(linesOf(api)),
        (logged) => findUnlogged(logged).length === 0,
      )
      const failures = lines.filter(
        ({ err, msg }) =>
          err && !apiMessages.ofNoRequest.has(msg) && !apiMessages.ofAnything.has(msg),
      )
      const kinds = new Set(failures.map(({ msg }) => msg))
      expect(kinds).toEqual(new Set([...kinds, ...causedByRequests]))
      const requestId = expect.stringMatching(/^journey-\d+$|^[0-9a-f-]{36}$/)
      for (const line of failures) expect(line).toMatchObject({ requestId })
      for (const line of lines.filter(({ msg }) => apiMessages.ofNoRequest.has(msg))) {
        expect(line).not.toHaveProperty('requestId')
      }
    })

    test('state the failure, and keep public values', () => {
      const told = linesOf(api).filter(({ err }) => err?.message.includes('refused: url='))
      expect(told).toHaveLength(1)
      expect(told[0]!.err!.message).toMatch(/127\.0\.0\.1:\d+\/\?\[query\] /)
      expect(told[0]!.err!.message).toContain('postgres://app:[secret]@db/app')
      expect(told[0]!.err!.stack).toContain(' at ')
    })

    test('contain the delivery id in each line that an attempt caused', () => {
      const lines = linesOf(worker)
      const attempts = lines.filter(({ msg }) => msg === 'attempt')
      expect(attempts.length).toBeGreaterThan(5)
      const failures = lines.filter(({ msg }) => msg === heldMessage || msg === pauseMessage)
      expect(new Set(failures.map(({ msg }) => msg))).toEqual(new Set([heldMessage, pauseMessage]))
      for (const line of [...attempts, ...failures]) {
        expect(line).toMatchObject({
          deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          number: expect.any(Number),
        })
      }
    })
  })

/** Lines that these requests must have caused; otherwise the test proves nothing. */
const causedByRequests = [
  'a request failed because of a defect',
  'the database is unavailable',
  'a key change has not reached the gate yet',
]
