import type { Response } from 'express'
import type { AnswerHeaders } from './route.ts'

/** Sets headers that are sent with whatever response follows. */
export function setHeaders(res: Response, headers: AnswerHeaders): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
