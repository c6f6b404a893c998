import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeInBrowser, useBrowser } from '../../support/browser.ts'
import { useStack } from '../../support/stack.ts'
import { accountJourneys } from './account.ts'
import { deliveryJourneys } from './deliveries.ts'
import { endpointJourneys } from './endpoints.ts'
import { keyJourneys } from './keys.ts'
import { listJourneys } from './lists.ts'
import { signInJourneys } from './sign-in.ts'
import { prepareGround, Walk, type Device, type Ground } from './walk.ts'

const journeys = {
  ...signInJourneys,
  ...keyJourneys,
  ...endpointJourneys,
  ...deliveryJourneys,
  ...listJourneys,
  ...accountJourneys,
}

/**
 * The devices of the journeys, by turns: each journey runs at both widths, and with and without scripts.
 * `JOURNEY_DEVICES=all` runs each on all of them.
 */
const devicePairs: readonly (readonly [Device, Device])[] = [
  [
    { width: 1440, hasScripts: true },
    { width: 390, hasScripts: false },
  ],
  [
    { width: 1440, hasScripts: false },
    { width: 390, hasScripts: true },
  ],
]

const devicesOf = (index: number): readonly Device[] =>
  process.env['JOURNEY_DEVICES'] === 'all'
    ? devicePairs.flat()
    : devicePairs[index % devicePairs.length]!

describeInBrowser('a person in Chromium', () => {
  // Two attempts, then a delivery has failed.
  const stack = useStack({
    TRUSTED_PROXIES: '127.0.0.1/32',
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.1',
  })
  const browser = useBrowser()
  let ground: Ground

  beforeAll(async () => {
    ground = await prepareGround(stack, browser)
  })
  afterAll(() => ground?.close())

  test.each(
    Object.entries(journeys).flatMap(([name, walk], index) =>
      devicesOf(index).map((device) => ({
        name: `${name}, at ${device.width} px, ${device.hasScripts ? 'with' : 'without'} scripts`,
        walk,
        device,
      })),
    ),
  )('$name', async ({ walk, device }) => {
    const way = await Walk.begin(ground, device)
    await walk(way)
    expect(way.page.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
    await way.page.context().close()
  })
})
