import { currentTime } from '@hosting/core/clock'
import { randomUUID } from 'node:crypto'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, execute } from '../database/statement.ts'
import type { TakenCounts } from './process-counts.ts'

const { int, jsonText, text, uuid } = types

/** A process of the installation. */
export interface SampledProcess {
  readonly kind: 'api' | 'worker'
  readonly host: string
  readonly pid: number
}

/** What a process knows about its last ten seconds. Reading it costs no statement. */
export interface ProcessReading extends TakenCounts {
  /** For how long the oldest due delivery has been due. `null`: this process does not know. */
  readonly oldestDueMs: number | null
  /** The readiness checks that fail. */
  readonly failed: readonly string[]
}

/** The interval of the samples, in ms. */
export const sampleEveryMs = 10_000

/** While PostgreSQL accepts no writes, the samples of the last hour wait. */
const waitingMax = 360

/** Samples are kept for as many hours. */
export const samplesKeptHours = 24

interface Sample extends ProcessReading {
  readonly at: Date
}

/**
 * Writes a sample of this process every ten seconds, with one statement. Each process writes its own, so their sums are
 * those of the installation. While PostgreSQL accepts none, they wait, with the failed check `database`.
 *
 * @param read - gives what happened since it was last called.
 * @returns a function that writes the last sample and ends it.
 */
export function startSampling(
  database: Pick<Database, 'pool'>,
  process: SampledProcess,
  read: () => ProcessReading,
): () => Promise<void> {
  const processId = randomUUID()
  let waiting: Sample[] = []
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    const samples = waiting
    try {
      await execute(database.pool, writeStatement, {
        processId,
        ...process,
        samples: JSON.stringify(samples),
      })
      waiting = waiting.filter((each) => !samples.includes(each))
    } catch {
      const [newest] = samples.slice(-1)
      const failed = { ...newest!, failed: [...new Set([...newest!.failed, 'database'])] }
      waiting = waiting.map((each) => (each === newest ? failed : each))
    }
  }

  function sample(): Promise<void> {
    waiting = [...waiting, { at: currentTime(), ...read() }].slice(-waitingMax)
    return (writing ??= write().finally(() => {
      writing = undefined
    }))
  }

  const timer = setInterval(() => void sample(), sampleEveryMs).unref()
  return async () => {
    clearInterval(timer)
    await writing
    if (waiting.length === 0) await sample()
  }
}

/** Writes samples of a process. */
const writeStatement = defineStatement({
  name: 'write-operations-samples',
  takes: { processId: uuid, kind: text, host: text, pid: int, samples: jsonText },
  gives: {},
  sql: `
    INSERT INTO operations_samples
      (at, process_id, kind, host, pid, published, attempted, latencies, oldest_due_ms, failed)
    SELECT s.at, :processId, :kind, :host, :pid, s.published, s.attempted, s.latencies, round(s."oldestDueMs"), s.failed
    FROM jsonb_to_recordset(:samples) AS s
      (at timestamptz, published int, attempted int, latencies int[], "oldestDueMs" float8, failed text[])
    ON CONFLICT DO NOTHING`,
})

/** Deletes the samples that are no longer kept, and returns their number. */
export const dropOldSamples = defineDeletion({
  name: 'delete-old-operations-samples',
  table: 'operations_samples',
  where: `at < now() - make_interval(hours => ${samplesKeptHours})`,
})
