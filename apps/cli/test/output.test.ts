import { describe, expect, test } from '@jest/globals'
import { parseDuration, parseTime } from '../src/durations.ts'
import { Output, printJson } from '../src/terminal/output.ts'
import {
  ids,
  optional,
  state,
  time,
  toTable,
  truncated,
  type Columns,
} from '../src/terminal/table.ts'
import { formatDuration, truncate } from '../src/terminal/text.ts'
import { makeMachine } from './support/hctl.ts'

const terminalOf = (width: number) => ({
  width,
  nowMs: Date.parse('2026-11-29T12:00:00Z'),
  paint: (tone: string, text: string) => `<${tone}>${text}</>`,
})

describe('a table', () => {
  interface Row {
    readonly id: string
    readonly name: string
    readonly count: number
    readonly at: string | null
  }
  const rows: readonly Row[] = [
    { id: '0123456789', name: 'a', count: 5, at: null },
    { id: '9876543210', name: 'a name of some length', count: 10, at: 'x' },
  ]
  const columns: Columns<Row> = {
    id: ids(({ id }) => id),
    name: truncated(({ name }) => name, 12),
    count: optional(({ count }) => count),
    at: optional(({ at }) => at),
  }

  test('aligns columns, numbers to the right, with a dash for nothing', () => {
    expect(toTable(rows, columns)).toEqual([
      'ID          NAME                   COUNT  AT',
      '0123456789  a                          5  -',
      '9876543210  a name of some length     10  x',
    ])
  })

  test('shortens values with … to fit the width', () => {
    expect(toTable(rows, columns, terminalOf(36))).toEqual([
      'ID          NAME           COUNT  AT',
      '0123456789  a                  5  -',
      '9876543210  a name of so…     10  x',
    ])
  })

  test('leaves out optional columns before a name has less than its minimum width', () => {
    expect(toTable(rows, columns, terminalOf(32))).toEqual([
      'ID          NAME           COUNT',
      '0123456789  a                  5',
      '9876543210  a name of so…     10',
    ])
    expect(toTable(rows, columns, terminalOf(28))).toEqual([
      'ID          NAME',
      '0123456789  a',
      '9876543210  a name of some …',
    ])
  })

  test('shows the beginnings of ids that are unique, and shortens names further, if it must', () => {
    const { id, name } = columns
    const alike = rows.map((row, index) => ({ ...row, id: `012345678${index}z` }))
    expect(toTable(rows, { id: id!, name: name! }, terminalOf(22))).toEqual([
      'ID        NAME',
      '01234567  a',
      '98765432  a name of s…',
    ])
    expect(toTable(alike, { id: id!, name: name! }, terminalOf(20))).toEqual([
      'ID          NAME',
      '0123456780  a',
      '0123456781  a name …',
    ])
  })

  test('in a terminal, shows times by their distance and states in colors; in a pipe, both as they are', () => {
    const at = '2026-11-29T11:56:59.123Z'
    const states = ['Delivered', 'Refused: expired', 'Unheard of'].map((word) => ({ word, at }))
    const shown: Columns<(typeof states)[number]> = {
      state: state(({ word }) => word),
      at: time((row) => row.at),
    }
    expect(toTable(states, shown, terminalOf(80))).toEqual([
      'STATE             AT',
      '<good>Delivered</>         3 min ago',
      '<bad>Refused: expired</>  3 min ago',
      'Unheard of        3 min ago',
    ])
    expect(toTable(states, shown)[1]).toBe('Delivered         2026-11-29 11:56:59Z')
  })

  test('in a terminal, shows ids by beginnings that are unique in the table', () => {
    const made = ['01a225d1-0da6-71f8', '01a225d1-0da6-71f9', '01a225d2'].map((id) => ({ id }))
    const shown = (rowsShown: typeof made) =>
      toTable(rowsShown, { id: ids((row) => row.id) }, terminalOf(80))
    expect(shown(made.slice(1))).toEqual(['ID', '01a225d1-0da6', '01a225d2'])
    expect(shown(made)).toEqual(['ID', '01a225d1-0da6-71f8', '01a225d1-0da6-71f9', '01a225d2'])
  })

  test('counts the columns that characters occupy', () => {
    expect(truncate('日本語テキスト', 7)).toBe('日本語…')
    expect(truncate('e\u0301e\u0301e\u0301', 3)).toBe('e\u0301e\u0301e\u0301')
    const wide = { name: ({ name }: { name: string }) => name, n: () => 1 }
    expect(toTable([{ name: '日本' }, { name: 'ab' }], wide)).toEqual([
      'NAME  N',
      '日本  1',
      'ab    1',
    ])
  })
})

describe('colors', () => {
  test.each([
    ['a terminal shows them', true, {}, true],
    ['NO_COLOR turns them off', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR does not', true, { NO_COLOR: '' }, true],
    ['a file has none', false, {}, false],
  ])('%s', async (_rule, terminal, env, colored) => {
    const { hctl } = await makeMachine()
    const { stderr } = await hctl('kes', { terminal, env })
    expect(stderr.includes('\u001B[')).toBe(colored)
  })
})

describe('a warning', () => {
  test('is printed with --json too', () => {
    const written: string[] = []
    const stream = { write: (text: string) => written.push(text) }
    const environment = { env: {}, stdout: stream, stderr: stream } as never
    new Output(environment, printJson).warn('loud')
    expect(written).toEqual(['! loud\n'])
  })
})

describe('times and durations', () => {
  test('a time is a date or a duration ago', () => {
    const now = Date.parse('2026-01-02T00:00:00Z')
    expect(parseTime('24h', now)).toBe('2026-01-01T00:00:00.000Z')
    expect(parseTime('2026-01-01', now)).toBe('2026-01-01T00:00:00.000Z')
  })

  test.each(['1', 'x1', '2026-99-99', ''])('"%s" is not a time', (text) => {
    expect(parseTime(text, 0)).toBeUndefined()
  })

  test.each([
    ['90s', 90],
    ['7d', 604_800],
    ['1w', undefined],
  ])('"%s" is %p seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })

  test.each([
    [0, '0 s'],
    [41_000, '41 s'],
    [252_000, '4 m 12 s'],
    [3_600_000, '1 h'],
    [90_061_000, '1 d 1 h'],
  ])('%i ms is shown as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
