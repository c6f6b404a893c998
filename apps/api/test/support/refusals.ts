import type { Response } from 'supertest'

/** What a refusal says: its status, its code and, of a 422, the invalid members. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly pointers?: readonly string[]
}

/** Reads a problem document. */
export function refusalOf({ status, body }: Response): Refusal {
  const { code, errors } = body as { code: string; errors?: { pointer: string }[] }
  return {
    status,
    code,
    ...(errors && { pointers: [...new Set(errors.map(({ pointer }) => pointer))] }),
  }
}

/** A `validation_failed` that names exactly these members. */
export const invalid = (...pointers: string[]): Refusal => ({
  status: 422,
  code: 'validation_failed',
  pointers,
})

export const notFound: Refusal = { status: 404, code: 'not_found' }
