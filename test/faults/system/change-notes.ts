import type { Database } from '@hosting/postgres/database'
import type { Recorder } from '../history/recorder.ts'

/** A row with a description is a change; a row without one is an audit row. */
const noteStatements = `
  CREATE TABLE change_notes (xid XID8 NOT NULL DEFAULT pg_current_xact_id(), description TEXT);
  CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO public.change_notes (description) VALUES (to_jsonb(NEW) ->> 'description');
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_change AFTER UPDATE ON webhook_endpoints
    FOR EACH ROW WHEN (OLD.description IS DISTINCT FROM NEW.description) EXECUTE FUNCTION note_change();
  CREATE TRIGGER note_change AFTER INSERT ON audit_events
    FOR EACH ROW WHEN (NEW.action = 'webhook.update') EXECUTE FUNCTION note_change();`

/** Lets triggers note which transaction committed which change of a description and which audit row. */
export const noteChanges = async ({ pool }: Database): Promise<void> =>
  void (await pool.query(noteStatements))

/** Reads the notes into the history. */
export async function readChanges({ pool }: Database, recorder: Recorder): Promise<void> {
  const { rows: notes } = await pool.query<{ description: string }>(
    'SELECT description FROM change_notes WHERE description IS NOT NULL',
  )
  const { rows: mixed } = await pool.query<{ notes: string }>(`
    SELECT string_agg(coalesce(description, 'audit row'), ', ') AS notes
    FROM change_notes GROUP BY xid
    HAVING count(description) > 1 OR count(*) - count(description) <> 1`)
  recorder.invoke('reader', 'read changes', {}).ok({
    descriptions: notes.map(({ description }) => description),
    mixed: mixed.map((row) => row.notes),
  })
}
