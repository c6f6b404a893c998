import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { describeInBrowser, useBrowser } from '../../support/browser.ts'
import { useStack } from '../../support/stack.ts'
import { accountJourneys } from './account.ts'
import { deliveryJourneys } from './deliveries.ts'
import { endpointJourneys } from './endpoints.ts'
import { keyJourneys } from './keys.ts'
import { listJourneys } from './lists.ts'
import { signInJourneys } from './sign-in.ts'
import { prepareGround, Walk, type Ground } from './walk.ts'

const journeys = {
  ...signInJourneys,
  ...keyJourneys,
  ...endpointJourneys,
  ...deliveryJourneys,
  ...listJourneys,
  ...accountJourneys,
}

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
  }, 60_000)
  afterAll(() => ground?.close())

  test.each(
    Object.entries(journeys).flatMap(([name, walk]) => [
      { name: `${name}, with scripts`, walk, hasScripts: true },
      { name: `${name}, without scripts`, walk, hasScripts: false },
    ]),
  )('$name', async ({ walk, hasScripts }) => {
    const way = await Walk.begin(ground, hasScripts)
    await walk(way)
    expect(way.page.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
    await way.page.context().close()
  })
})
