import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, execute, run } from '../database/statement.ts'

const { float, int, text, uuid } = types

/** A form of the panel that its page shows again. */
export interface FormDraft {
  /** A UUIDv7. */
  readonly id: string
  /** The user whose page shows it. */
  readonly userId: string
  /** The page that shows it, such as `/keys/:id/edit`. */
  readonly page: string
  /** The fields and errors, encrypted by the panel. */
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
  const others = draftsMax - 1
  await execute(pool, createStatement, { id, userId, page, content, others, lifetimeMs })
}

/** Adds a draft of a person, and deletes the oldest ones over the limit. */
const createStatement = defineStatement({
  name: 'create-form-draft',
  takes: { id: uuid, userId: uuid, page: text, content: text, others: int, lifetimeMs: float },
  gives: {},
  sql: `
    WITH dropped AS (
      DELETE FROM form_drafts WHERE id IN (
        SELECT id FROM form_drafts WHERE user_id = :userId ORDER BY id DESC OFFSET :others)
    )
    INSERT INTO form_drafts (id, user_id, page, content, expires_at)
    SELECT :id, u.id, :page, :content, clock_timestamp() + :lifetimeMs * interval '1 ms'
    FROM users u WHERE u.id = :userId`,
})

/** Deletes the form with this id and returns its content, if it belongs to the user and the page. */
export async function takeFormDraft(
  { pool }: Database,
  { id, userId, page }: Omit<FormDraft, 'content'>,
): Promise<string | undefined> {
  return (await run(pool, takeStatement, { id, userId, page }))[0]?.content
}

/** Deletes a draft that has not expired, and gives it. */
const takeStatement = defineStatement({
  name: 'take-form-draft',
  takes: { id: text, userId: uuid, page: text },
  gives: { content: text },
  sql: `
    DELETE FROM form_drafts WHERE id::text = :id AND user_id = :userId AND page = :page
      AND expires_at > clock_timestamp() RETURNING content`,
})

/** Deletes expired forms. Returns their number. */
export const dropExpiredFormDrafts = defineDeletion({
  name: 'delete-expired-forms',
  table: 'form_drafts',
  where: 'expires_at < now()',
})
