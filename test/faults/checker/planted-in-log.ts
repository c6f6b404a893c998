import { endpointA, HistoryBuilder } from './history-builder.ts'
import type { Planted } from './planted-deliveries.ts'

const { tenant } = endpointA
const rule = 'the event log is complete and in order'

/** A history without endpoints, in which events 1 and 2 were accepted and have the positions 10 and 11. */
export function loggedHistory(
  pages: readonly (readonly string[])[],
  positions = { 'event 1': 10, 'event 2': 11 } as Readonly<Record<string, number>>,
): HistoryBuilder {
  const history = new HistoryBuilder({ endpoints: [] }).publish('event 1').publish('event 2')
  pages.forEach((events, index) => {
    history.call('read log', { from: 200 + index, value: { tenant }, result: { events } })
  })
  return history.call('read positions', {
    from: 900_000,
    value: { tenant },
    result: {
      positions: Object.entries(positions).map(([event, position]) => ({ event, position })),
    },
  })
}

/** Wrong pages of the event log. */
export const plantedInLog: readonly Planted[] = [
  ['an accepted event that the log omits', rule, () => loggedHistory([['event 1'], []])],
  [
    'an event whose publish got no response, which is stored and which the log omits',
    rule,
    () =>
      loggedHistory([['event 1', 'event 2']], {
        'event 1': 10,
        'event 2': 11,
        'event 3': 12,
      }).publish('event 3', { type: 'info' }),
  ],
  [
    'an event that the log returns on two pages',
    rule,
    () => loggedHistory([['event 1', 'event 2'], ['event 2']]),
  ],
  [
    'an event that the log returns after one with a higher position',
    rule,
    () => loggedHistory([['event 2'], ['event 1']]),
  ],
  [
    'an event in the log that nobody published',
    rule,
    () =>
      loggedHistory([['event 1', 'event 2', 'event 3']], {
        'event 1': 10,
        'event 2': 11,
        'event 3': 12,
      }),
  ],
  [
    'an event in the log that is not stored',
    rule,
    () => loggedHistory([['event 1', 'event 2']], { 'event 1': 10 }),
  ],
]
