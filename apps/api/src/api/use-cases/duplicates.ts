import { conflict } from '@hosting/core/problems'
import { isUniqueViolation } from '@hosting/postgres/database'

/**
 * Writes a row. PostgreSQL decides whether a unique value is free, so that of several requests at once one gets it.
 *
 * @param reason - a sentence without a capital, such as `the slug is already in use.`
 * @throws Problem `conflict` if another row has the value.
 */
export async function throwConflictIfDuplicate<Result>(
  reason: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    throw isUniqueViolation(error) ? conflict(reason) : error
  }
}

/** As {@link throwConflictIfDuplicate}, for a row that may have an external id. */
export const withExternalId = <Result>(
  externalId: string | null | undefined,
  write: () => Promise<Result>,
): Promise<Result> =>
  externalId == null ? write() : throwConflictIfDuplicate('the external id is in use.', write)
