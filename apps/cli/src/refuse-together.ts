import { usageError } from './exit-codes.ts'
import { toKebabCase } from './options.ts'

/** @throws a usage error for the first pair of options of which both are given. */
export function refuseTogether<Options extends object>(
  options: Options,
  ...pairs: readonly (readonly [keyof Options & string, keyof Options & string])[]
): void {
  for (const [one, other] of pairs) {
    if (options[one] && options[other]) {
      const names = [one, other].map((name) => `--${toKebabCase(name)}`)
      throw usageError('usage', `${names.join(' and ')} cannot be combined.`)
    }
  }
}
