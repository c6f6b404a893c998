import pg from 'pg'
import { setTimeout } from 'node:timers/promises'
import { callerOf } from '../../support/caller.ts'
import { webhookUser } from '../../support/webhook-user.ts'
import { observerName } from '../../faults/system/sessions.ts'
import type { System } from '../../faults/load/system.ts'

/** The results of changes of endpoints. */
export interface ChangeFigures {
  readonly answered200: number
  readonly refused503: number
  /** Changes that got a 200 and are not in PostgreSQL. */
  readonly lost: readonly string[]
  /** Transactions that contain anything but one change and its audit row. */
  readonly mixed: readonly string[]
}

/** Users who change their endpoints continuously, each one change at a time. */
export interface Changes {
  readonly endpointIds: readonly string[]
  stop(): Promise<ChangeFigures>
}

const changersPerTenant = 2
const pauseMs = 250

/**
 * Changes endpoints, each change in a transaction of several statements. Triggers record which transaction
 * committed which change and which audit row.
 */
export async function startChanges(system: System, databaseUrl: string): Promise<Changes> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: observerName })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(noteStatements)
  const changers = await makeChangers(system)
  const stopping = new AbortController()
  const responses: { description: string; status: number }[] = []

  async function run({ id, token }: Changer): Promise<void> {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const description = `${id} ${turn}`
      const api = callerOf(system.apis[turn % system.apis.length]!)
      const { status } = await api.call('patch', `/webhooks/${id}`, {
        token,
        body: { description },
      })
      if (status !== 200 && status !== 503) throw new Error(`a change got status ${status}`)
      responses.push({ description, status })
      await setTimeout(pauseMs)
    }
  }

  const running = Promise.all(changers.map(run))
  running.catch(() => undefined)
  return {
    endpointIds: changers.map(({ id }) => id),
    async stop() {
      stopping.abort()
      await running
      const accepted = responses.filter(({ status }) => status === 200)
      const { rows: notes } = await client.query<{ description: string }>(
        'SELECT description FROM chaos_notes WHERE description IS NOT NULL',
      )
      const { rows: mixed } = await client.query<{ notes: string }>(mixedQuery)
      await client.end()
      const noted = new Set(notes.map(({ description }) => description))
      return {
        answered200: accepted.length,
        refused503: responses.length - accepted.length,
        lost: accepted.flatMap(({ description }) => (noted.has(description) ? [] : [description])),
        mixed: mixed.map((row) => row.notes),
      }
    },
  }
}

interface Changer {
  readonly id: string
  readonly token: string
}

/** Their endpoints get none of the published events. */
async function makeChangers({ api, receivers }: System): Promise<Changer[]> {
  const user = webhookUser({ api })
  const changers: Changer[] = []
  for (let count = 0; count < 4; count++) {
    const tenant = await api.makeTenant()
    for (let each = 0; each < changersPerTenant; each++) {
      changers.push(await user.subscribe(tenant, receivers[0]!.url, ['dns.*']))
    }
  }
  return changers
}

/** A row with a description is a change; a row without one is an audit row. */
const noteStatements = `
  DROP TABLE IF EXISTS chaos_notes CASCADE;
  CREATE TABLE chaos_notes (xid XID8 NOT NULL DEFAULT pg_current_xact_id(), description TEXT);
  CREATE OR REPLACE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO chaos_notes (description) VALUES (to_jsonb(NEW) ->> 'description');
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER chaos_note AFTER UPDATE ON webhook_endpoints
    FOR EACH ROW EXECUTE FUNCTION chaos_note();
  CREATE OR REPLACE TRIGGER chaos_note AFTER INSERT ON audit_events
    FOR EACH ROW WHEN (NEW.action = 'webhook.update') EXECUTE FUNCTION chaos_note();`

const mixedQuery = `
  SELECT string_agg(coalesce(description, 'audit row'), ', ') AS notes
  FROM chaos_notes GROUP BY xid HAVING count(*) <> 2 OR count(description) <> 1`
