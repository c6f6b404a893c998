/** The result of a file operation, or undefined if the file does not exist. */
export async function orMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export function errorCode(error: unknown): unknown {
  // Not instanceof Error: under jest, Node's own errors come from outside the sandbox.
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
