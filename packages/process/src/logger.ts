import { trace } from '@opentelemetry/api'
import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino'
import { currentLogFields } from './log-context.ts'
import { redactLine } from './redact-line.ts'

export type { Logger } from 'pino'

/**
 * The log of a process: a JSON line per entry on standard output, with the ids of the request or the
 * attempt that caused it, and of its trace. Of errors the stack is kept, and no other property, since a
 * driver's error may carry the values of its statement; {@link redactLine} goes over every line.
 *
 * @param name - of the process, on every line.
 * @param level - the least severe level written.
 * @param destination - where lines go; standard output if left out.
 */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    mixin: () => ({ ...currentLogFields(), ...traceFields() }),
    hooks: { streamWrite: redactLine },
    serializers: {
      err(error: unknown) {
        const { type, message, stack } = stdSerializers.err(error as Error)
        return { type, message, stack, code: (error as { code?: unknown }).code }
      },
    },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** As OpenTelemetry names them, so that a collector finds the lines of a trace. */
function traceFields() {
  const span = trace.getActiveSpan()?.spanContext()
  return span && { trace_id: span.traceId, span_id: span.spanId }
}
