import { trace } from '@opentelemetry/api'
import {
  pino,
  stdSerializers,
  symbols,
  type destination,
  type DestinationStream,
  type Logger,
} from 'pino'
import { currentLogFields } from './log-context.ts'
import { redactLine } from './redact-line.ts'

export type { Logger } from 'pino'

/**
 * Creates the log of a process: one JSON line per entry on standard output, with the ids of the request or attempt
 * and of its trace. Errors are logged with type, message, stack and code only, because a driver's error may contain
 * the values of its statement. {@link redactLine} redacts every line.
 *
 * @param name - the name of the process, added to every line.
 * @param level - the least severe level to log.
 * @param destination - receives the lines; standard output by default.
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

/** How long the reader of the log may take for its last lines, in ms. */
const endMsMax = 2_000

/**
 * Ends the log of a process on standard output. pino writes lines asynchronously.
 *
 * @returns when every line is written, or after 2 s if nobody reads them.
 */
export async function endLog(log: Logger): Promise<void> {
  const stream = (log as unknown as StandardOutputLog)[symbols.streamSym]
  const written = new Promise((resolve) => stream.once('close', resolve))
  stream.end()
  const timeout = new Promise((resolve) => setTimeout(resolve, endMsMax))
  await Promise.race([written, timeout])
}

interface StandardOutputLog {
  readonly [symbols.streamSym]: ReturnType<typeof destination>
}

/** Named as in OpenTelemetry, so that a collector finds the lines of a trace. */
function traceFields() {
  const span = trace.getActiveSpan()?.spanContext()
  return span && { trace_id: span.traceId, span_id: span.spanId }
}
