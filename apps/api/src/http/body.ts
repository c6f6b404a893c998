import { Problem } from '@hosting/core/problems'
import express, { type Request, type Response } from 'express'
import { isUtf8 } from 'node:buffer'
import { membersOfForm, membersOfJson } from './unrepeated-members.ts'

/** Reads the body of a request. */
export type BodyReader = (req: Request, res: Response) => Promise<unknown>

/**
 * Creates a reader of JSON bodies.
 *
 * @param limitBytes - the maximum size of a body.
 * @param options - `takesForms`: whether to read bodies of forms, too. Members that occur several times are then left out.
 * @returns a reader that returns `undefined` if there is no body.
 */
export function createBodyReader(
  limitBytes: number,
  { takesForms = false }: { takesForms?: boolean } = {},
): BodyReader {
  const options = { limit: limitBytes, type: () => true, verify: refuseOtherThanUtf8 }
  const parseJson = express.json({ ...options, strict: false })
  const parseText = express.text(options)
  const limit =
    limitBytes >= 2 ** 20 ? `${limitBytes / 2 ** 20} MiB` : `${limitBytes / 2 ** 10} KiB`
  return async (req, res) => {
    if (!hasBody(req)) return undefined
    const isForm = takesForms && Boolean(req.is('application/x-www-form-urlencoded'))
    if (!isForm && !req.is('application/json')) throw new Problem('unsupported_media_type')
    await new Promise<void>((resolve, reject) => {
      const parse = takesForms ? parseText : parseJson
      parse(req, res, (error?: unknown) =>
        error === undefined ? resolve() : reject(toProblem(error, limit)),
      )
    })
    if (!takesForms) return req.body as unknown
    return (isForm ? membersOfForm : membersOfJson)(req.body as string)
  }
}

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** JSON must be UTF-8 (RFC 8259, section 8.1). Decoding would replace invalid bytes without an error. */
function refuseOtherThanUtf8(_req: unknown, _res: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new Error('The body is not UTF-8.')
}

/** Converts the errors of body-parser to problems; see "Errors" in its README. */
function toProblem(error: unknown, limit: string): unknown {
  const { status } = error as { status?: number }
  if (status === 413) return new Problem('payload_too_large', { facts: { limit } })
  if (status === 415) return new Problem('unsupported_media_type')
  // body-parser turns an error of `verify` into a 403.
  return status === 400 || status === 403 ? new Problem('malformed_json') : error
}
