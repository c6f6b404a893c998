import type { Response } from 'express'

/** Sets headers that are sent with whatever response follows. */
export function setHeaders(res: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
