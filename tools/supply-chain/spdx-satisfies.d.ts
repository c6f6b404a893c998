declare module 'spdx-satisfies' {
  /** Whether an SPDX expression is satisfied by licences of a list. @throws Error if it is no such expression. */
  export default function satisfies(expression: string, approved: readonly string[]): boolean
}
