import type { KeyRecord } from '../../../api/schemas/api-key.ts'

/** Breadcrumbs from the list to a key. */
export const keyCrumbs = ({ id, name }: Pick<KeyRecord, 'id' | 'name'>) =>
  [
    ['API keys', '/keys'],
    [name, `/keys/${id}`],
  ] as const
