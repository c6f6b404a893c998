import { expect, test } from '@jest/globals'
import { commands } from '../src/commands.ts'

const options = commands.flatMap(({ path, options: own = {} }) =>
  Object.entries(own).map(([name, option]) => ({ path, name, option })),
)

/** The values of a property by another one, where there are several. */
function severalOf(
  keyOf: (each: (typeof options)[number]) => string | undefined,
  valueOf: (each: (typeof options)[number]) => string,
): Record<string, string[]> {
  const found = Object.groupBy(options, (each) => keyOf(each) ?? '')
  return Object.fromEntries(
    Object.entries(found)
      .filter(([key]) => key !== '')
      .map(([key, each]) => [key, [...new Set(each!.map(valueOf))].toSorted()] as const)
      .filter(([, values]) => values.length > 1),
  )
}

const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

test('a member of the API has one option in all commands', () => {
  expect(options.length).toBeGreaterThan(60)
  const nameOf = ({ name, option }: (typeof options)[number]): string | undefined => {
    // `--no-headers` removes what `--header` sets, and a workload is an object, whose members have options of their own.
    if (option.negation === 'only' || option.field === 'workload') return undefined
    return option.field ?? snakeCase(name)
  }
  expect(severalOf(nameOf, ({ name }) => name)).toEqual({})
})

test('a kind of value has one option in all commands', () => {
  expect(
    severalOf(
      ({ option }) => option.values,
      ({ name }) => name,
    ),
  ).toEqual({})
})

test('an option takes the same kind of value in all commands', () => {
  expect(
    severalOf(
      ({ name }) => name,
      ({ option: { placeholder = 'none', choices } }) =>
        // An event type is also a pattern.
        choices ? 'a choice' : placeholder.replace(/^type$/, 'pattern'),
    ),
  ).toEqual({})
})
