import type { Database } from '../database/database.ts'

/** A form of the panel that its page shows again. */
export interface FormDraft {
  /** A UUIDv7. */
  readonly id: string
  /** The user whose page shows it. */
  readonly userId: string
  /** The page that shows it, such as `/keys/:id/edit`. */
  readonly page: string
  /** The fields and errors, sealed by the panel. */
  readonly content: string
}

/**
 * Stores a form. Of the user's other forms, the latest stay, so that there are at most `draftsMax` in sequence.
 * Nothing is stored for a user who no longer exists.
 */
export async function createFormDraft(
  { pool }: Database,
  { id, userId, page, content }: FormDraft,
  { draftsMax, lifetimeMs }: { draftsMax: number; lifetimeMs: number },
): Promise<void> {
  await pool.query(
    `WITH dropped AS (
       DELETE FROM form_drafts WHERE id IN (
         SELECT id FROM form_drafts WHERE user_id = $2 ORDER BY id DESC OFFSET $5)
     )
     INSERT INTO form_drafts (id, user_id, page, content, expires_at)
     SELECT $1, u.id, $3, $4, clock_timestamp() + $6 * interval '1 ms' FROM users u WHERE u.id = $2`,
    [id, userId, page, content, draftsMax - 1, lifetimeMs],
  )
}

/** Deletes the form with this id and returns its content, if it belongs to the user and the page. */
export async function takeFormDraft(
  { pool }: Database,
  { id, userId, page }: Omit<FormDraft, 'content'>,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ content: string }>(
    `DELETE FROM form_drafts WHERE id::text = $1 AND user_id = $2 AND page = $3
       AND expires_at > clock_timestamp() RETURNING content`,
    [id, userId, page],
  )
  return rows[0]?.content
}

/** Deletes expired forms. Returns their number. */
export async function dropExpiredFormDrafts({ pool }: Database): Promise<number> {
  const { rowCount } = await pool.query('DELETE FROM form_drafts WHERE expires_at < now()')
  return rowCount ?? 0
}
