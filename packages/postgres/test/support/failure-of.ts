/** The error with which work fails. @throws Error if it does not fail. */
export const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: Error) => error,
  )
