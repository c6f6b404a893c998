declare module 'spdx-satisfies' {
  /** Whether licenses of a list satisfy an SPDX expression. @throws Error if the expression is invalid. */
  export default function satisfies(expression: string, approved: readonly string[]): boolean
}
