import { compile } from '@michaelhomer/jqjs'
import { CliError, usageError } from '../exit-codes.ts'
import type { JsonFormat } from './output.ts'

/**
 * Compiles a filter of jq. Each of its results is one text: a string as it is, and any other value as JSON on one line.
 *
 * @throws a usage error for text that is no filter.
 */
export function compileFilter(filter: string): JsonFormat {
  const run = compileOrFail(filter)
  return (value) => {
    try {
      return Array.from(run(value), (result) =>
        typeof result === 'string' ? result : JSON.stringify(result),
      )
    } catch (error) {
      throw new CliError('filter_failed', `The filter ${filter} failed: ${String(error)}`)
    }
  }
}

function compileOrFail(filter: string): ReturnType<typeof compile> {
  try {
    return compile(filter)
  } catch (error) {
    throw usageError('usage', `${filter} is not a jq filter: ${String(error)}`)
  }
}
