import type { Response } from 'express'
import type { StatusListener } from '../response.ts'

interface Locals {
  statusListener?: StatusListener | undefined
}

/** Calls a listener as soon as the status of the response is set, whether or not the client is still there. */
export function onStatus(res: Response, listener: StatusListener): void {
  if (res.headersSent) listener(res.statusCode)
  else (res.locals as Locals).statusListener = listener
}

/** Sets the status of a response that is sent next. */
export function setStatus(res: Response, status: number): void {
  res.statusCode = status
  const locals = res.locals as Locals
  const listener = locals.statusListener
  locals.statusListener = undefined
  listener?.(status)
}
