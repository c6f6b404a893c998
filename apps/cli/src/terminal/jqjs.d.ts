/** The part that is used of a package without types. */
declare module '@michaelhomer/jqjs' {
  /** @throws what is wrong with the filter. */
  export function compile(filter: string): (input: unknown) => Iterable<unknown>
}
