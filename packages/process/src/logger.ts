import { pino, stdSerializers, type Logger } from 'pino'

export type { Logger } from 'pino'

/**
 * The log of a process: a JSON line per entry on standard output. Of errors the stack is kept, and no
 * other property, since a driver's error may carry the values of its statement.
 *
 * @param name - of the process, on every line.
 * @param level - the least severe level written.
 */
export function createLogger(name: string, level: string): Logger {
  return pino({
    name,
    level,
    serializers: {
      err(error: unknown) {
        const { type, message, stack } = stdSerializers.err(error as Error)
        return { type, message, stack, code: (error as { code?: unknown }).code }
      },
    },
  })
}
