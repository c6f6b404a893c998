import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { Description } from '../../bench/description.ts'
import type { BenchmarkRun, Results } from '../../bench/results.ts'
import { describeInBrowser, useBrowser } from '../../test/support/browser.ts'
import { barChart } from './bar-chart.ts'
import { filesOf, performanceFiles } from './performance.ts'

const described: Readonly<Record<string, Description>> = {
  race: {
    title: 'The race',
    text: 'Who runs how fast.',
    sections: {
      speed: {
        title: 'Speed',
        rows: { hare: 'Hare', tortoise: 'Tortoise & friends' },
        columns: { steps: 'Steps', rest: 'Rest', ratio: 'To the hare' },
        chart: { title: 'Steps a second', columns: ['steps'], ratios: { steps: 'ratio' } },
      },
    },
  },
  swim: { title: 'The swim', text: 'Never measured.', sections: {} },
}

const run: BenchmarkRun = {
  date: '2026-11-20T12:00:00.000Z',
  seconds: 90,
  commit: 'abc1234',
  machine: { processor: 'Some processor', cores: '2', memory: '24 GiB', system: 'Linux 6' },
  versions: { node: '24.0.0', express: '5.0.0' },
  servers: { PostgreSQL: { version: '18.4', fsync: 'on' } },
  settings: { rounds: 5, steps_per_round: 10_000 },
  figures: {
    speed: {
      hare: {
        steps: { unit: '/s', median: 4000, min: 3000, max: 5000 },
        rest: { unit: 'ms', value: 1234.5 },
      },
      tortoise: {
        steps: { unit: '/s', median: 1000, min: 990, max: 1010 },
        ratio: { unit: 'ratio', median: 0.25, min: 0.2, max: 0.33 },
      },
    },
  },
}

const pageOf = (results: Results): string => filesOf(described, results)['docs/performance.md']!()
const page = pageOf({ race: run })
const chart = filesOf(described, { race: run })['docs/performance/race-speed.svg']!()

describe('docs/performance.md', () => {
  test('has a table with the median, the minimum and the maximum of each figure', () => {
    expect(page).toContain(
      [
        '|  | Steps | Rest | To the hare |',
        '| --- | --: | --: | --: |',
        '| Hare | 4,000/s (3,000 to 5,000) | 1,235 ms |  |',
        '| Tortoise & friends | 1,000/s (990 to 1,010) |  | 0.25× (0.20 to 0.33) |',
        '',
      ].join('\n'),
    )
  })

  test('shows the chart with its values as text', () => {
    expect(page).toContain(
      '![Steps a second. Hare: 4,000/s. Tortoise & friends: 1,000/s, 0.25×.](performance/race-speed.svg)',
    )
  })

  test('states the date, commit, duration, extent and servers of a measurement', () => {
    expect(page).toContain(
      '`npm run bench -- race`: rounds 5, steps per round 10,000. PostgreSQL 18.4, fsync on.\n' +
        'Measured 2026-11-20 at commit abc1234, in 90 s.\n',
    )
    expect(page).toContain('All of them took 2 minutes.')
  })

  test('omits a benchmark that never ran', () => {
    expect(page).not.toContain('The swim')
  })

  test('lists machine and versions once, and separately if runs differ', () => {
    const facts = 'Some processor, 2 cores, 24 GiB; Linux 6.\nnode 24.0.0, express 5.0.0.\n'
    const other = { ...run, versions: { node: '26.0.0' } }
    expect(page).toContain(`## Machine and versions\n\n${facts}`)
    expect(pageOf({ race: run, swim: { ...other, figures: {} } })).toContain(
      `\n\nrace: ${facts}\nswim: Some processor, 2 cores, 24 GiB; Linux 6.\nnode 26.0.0.\n`,
    )
  })

  test.each([
    ['section', { jump: run.figures['speed']! }],
    ['row', { speed: { horse: run.figures['speed']!['hare']! } }],
    ['column', { speed: { hare: { leaps: { unit: '/s', value: 1 } } } }],
  ] as const)('is not made while a figure stands in no table: its %s is unknown', (_, figures) => {
    expect(() => pageOf({ race: { ...run, figures } })).toThrow(/No table shows race/)
  })
})

describeInBrowser('a chart', () => {
  const browser = useBrowser()
  let tab: Page
  beforeAll(async () => {
    tab = await (await browser.open()).newPage()
  })

  const boxesOf = async (svg: string): Promise<Box[]> => {
    await tab.goto(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`)
    expect(await tab.locator('parsererror').count()).toBe(0)
    return await tab.evaluate<Box[]>(readBoxes)
  }

  test('has bars in proportion to their values, and a line from minimum to maximum', async () => {
    const boxes = await boxesOf(chart)
    const [hare, tortoise] = named(boxes, 'bar0')
    const [hareRange] = named(boxes, 'range')
    const zero = hare!.left
    expect(tortoise!.left).toBe(zero)
    const step = (hare!.right - zero) / 4000
    expect(tortoise!.right - zero).toBeCloseTo(1000 * step, 1)
    expect(hareRange!.left - zero).toBeCloseTo(3000 * step, -0.5)
    expect(hareRange!.right - zero).toBeCloseTo(5000 * step, -0.5)
  })

  test('has an axis from zero in the unit of its bars', async () => {
    const boxes = await boxesOf(chart)
    const ticks = named(boxes, 'tick')
    expect(ticks.map(({ text }) => text)).toEqual(['0/s', '2,000/s', '4,000/s', '6,000/s'])
    expect(middleOf(ticks[0]!)).toBeCloseTo(named(boxes, 'bar0')[0]!.left, 0)
    expect(middleOf(ticks[2]!)).toBeCloseTo(named(boxes, 'bar0')[0]!.right, 0)
  })

  test('has a text alternative', async () => {
    await boxesOf(chart)
    const image = tab.getByRole('img', { name: 'Steps a second' })
    expect(await image.locator('desc').textContent()).toBe(
      'Steps a second. Hare: 4,000/s. Tortoise & friends: 1,000/s, 0.25×.',
    )
  })

  test.each([
    [[0], ['0', '0.5', '1']],
    [[0.3], ['0', '0.1', '0.2', '0.3']],
    [
      [1, 100],
      ['0', '50', '100'],
    ],
  ])('has round axis values up to the maximum of %j', async (values, marks) => {
    const bars = values.map((value) => ({ value, text: '' }))
    const drawn = barChart({
      title: 'Marks',
      description: '',
      series: ['one'],
      groups: bars.map((bar) => ({ label: '', bars: [bar] })),
      toText: String,
    })
    expect(named(await boxesOf(drawn), 'tick').map(({ text }) => text)).toEqual(marks)
  })

  const files = Object.entries(performanceFiles()).filter(([path]) => path.endsWith('.svg'))
  test.each(files)('%s fits its frame, and no texts overlap', async (_, make) => {
    const boxes = await boxesOf(make())
    const [frame] = named(boxes, 'page')
    const texts = boxes.filter(({ text }) => text !== '')
    expect(texts.length).toBeGreaterThan(4)
    expect(boxes.filter((box) => box.left < frame!.left || box.right > frame!.right)).toEqual([])
    expect(texts.flatMap((a) => texts.filter((b) => a !== b && overlap(a, b)))).toEqual([])
  })
})

/** Runs in the browser. */
const readBoxes = `[...document.querySelectorAll('rect, text, .range')].map((element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  return { left, right, top, bottom, name: element.getAttribute('class'), text: element.textContent }
})`

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly name: string | null
  readonly text: string
}

const named = (boxes: readonly Box[], name: string): Box[] =>
  boxes.filter((box) => box.name === name)

const middleOf = ({ left, right }: Box): number => (left + right) / 2

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom - 3 && b.top < a.bottom - 3
