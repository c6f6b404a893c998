import { expect } from '@jest/globals'
import type { TestApi } from './api.ts'

/**
 * Creates a key in the panel, which gives the person no notice, and with it a key of each name, of which they get one
 * each. Returns the ids of these keys.
 *
 * @param call - calls the API in the person's session.
 */
export async function createKeysByKey(
  api: TestApi,
  call: TestApi['call'],
  names: readonly string[],
): Promise<string[]> {
  const first = await call('post', '/api-keys', { body: { name: 'creator', scopes: ['*'] } })
  expect(first.status).toBe(201)
  const ids: string[] = []
  for (const name of names) {
    const body = { name, scopes: ['*:read'] }
    const created = await api.call('post', '/api-keys', { token: first.body.token, body })
    expect(created.status).toBe(201)
    ids.push(created.body.key.id)
  }
  return ids
}
