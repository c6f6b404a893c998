import { Problem } from '@hosting/core/problems'
import express, { type Request, type Response } from 'express'
import { isUtf8 } from 'node:buffer'
import { membersOfForm, membersOfJson } from './repeated-members.ts'
import type { BodyForms } from '../routes/route.ts'

/** Reads the body of a request. */
export type BodyReader = (req: Request, res: Response) => Promise<unknown>

interface FormOptions {
  readonly forms?: BodyForms | undefined
  readonly readForm?: ((fields: Readonly<Record<string, unknown>>) => unknown) | undefined
}

/**
 * Creates a reader of JSON bodies.
 *
 * @param limitBytes - the maximum size of a body.
 * @param options - `forms`: whether to read bodies of forms, too, or only those. A field that occurs several times is
 *   the list of its values. `readForm`: converts the fields of a form to the body.
 * @returns a reader that returns `undefined` if there is no body.
 */
export function createBodyReader(
  limitBytes: number,
  { forms, readForm = (fields) => fields }: FormOptions = {},
): BodyReader {
  const options = { limit: limitBytes, type: () => true, verify: refuseOtherThanUtf8 }
  const parseJson = express.json({ ...options, strict: false })
  const parseText = express.text(options)
  const limit =
    limitBytes >= 2 ** 20 ? `${limitBytes / 2 ** 20} MiB` : `${limitBytes / 2 ** 10} KiB`
  return async (req, res) => {
    if (!hasBody(req)) return undefined
    const asForm = forms !== undefined && isForm(req)
    const asJson = forms !== 'required' && Boolean(req.is('application/json'))
    if (!asForm && !asJson) throw unsupportedMediaType(forms)
    await new Promise<void>((resolve, reject) => {
      const parse = forms === undefined ? parseJson : parseText
      parse(req, res, (error?: unknown) =>
        error === undefined ? resolve() : reject(toProblem(error, { limit, forms })),
      )
    })
    if (forms === undefined) return req.body as unknown
    const text = req.body as string
    return asForm ? readForm(membersOfForm(text)) : membersOfJson(text)
  }
}

/** Whether the body of a request is a form. */
export const isForm = (req: Request): boolean =>
  Boolean(req.is('application/x-www-form-urlencoded'))

const unsupportedMediaType = (forms: BodyForms | undefined): Problem =>
  new Problem('unsupported_media_type', { facts: { accepted: acceptedBodies[forms ?? 'refused'] } })

const acceptedBodies = {
  refused: 'JSON in UTF-8, sent as application/json',
  accepted:
    'JSON in UTF-8, sent as application/json, or a form, sent as application/x-www-form-urlencoded',
  required: 'a form, sent as application/x-www-form-urlencoded',
} as const

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** JSON must be UTF-8 (RFC 8259, section 8.1). Decoding would replace invalid bytes without an error. */
function refuseOtherThanUtf8(_req: unknown, _res: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new Error('The body is not UTF-8.')
}

/** Converts the errors of body-parser to problems; see "Errors" in its README. */
function toProblem(
  error: unknown,
  { limit, forms }: { limit: string; forms: BodyForms | undefined },
): unknown {
  const { status } = error as { status?: number }
  if (status === 413) return new Problem('payload_too_large', { facts: { limit } })
  if (status === 415) return unsupportedMediaType(forms)
  // body-parser turns an error of `verify` into a 403.
  if (status !== 400 && status !== 403) return error
  return forms === 'required'
    ? new Problem('invalid_request', { facts: { reason: 'the body must be UTF-8.' } })
    : new Problem('malformed_json')
}
