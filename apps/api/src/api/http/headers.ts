import type { Response } from 'express'
import type { ResponseHeaders } from '../response.ts'

/** Sets headers that are sent with any response. */
export function setHeaders(res: Response, headers: ResponseHeaders): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
