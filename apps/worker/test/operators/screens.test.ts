import { sessionConfigOf } from '@hosting/postgres/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdir } from 'node:fs/promises'
import pg from 'pg'
import type { BrowserContext, Page } from 'playwright-core'
import { buildDue } from '../../../../test/support/attempts.ts'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { openPage } from '../../../../test/panel/panel-stack.ts'
import { allRules, colorRules, errorsOf } from '../../../../test/support/axe.ts'
import { describeInBrowser, useBrowser } from '../../../../test/support/browser.ts'
import { testEnvironment } from '../../../../test/support/environment.ts'
import { emptyRedis } from '../../../../test/support/own-stack.ts'
import { until } from '../../../../test/support/stack.ts'
import { root } from '../../../../tools/run.ts'
import { furnish, type Furnished } from './furnished.ts'
import { openOperators, opsToken, type Operators } from './operators.ts'

/** With `SCREENSHOTS=1`, a screenshot of every page is stored there. */
const folder = `${root}.cache/screenshots`
const keepsPictures = process.env['SCREENSHOTS'] !== undefined
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 320, height: 640 } } as const
/** The widths of further pictures. */
const picturedWidths = keepsPictures ? [1_920, 1_440, 390] : []

describeInBrowser("the operators' pages", () => {
  const database = useDatabase()
  const redisUrl = testEnvironment()['REDIS_URL']!
  const browser = useBrowser()
  let furnished: Furnished
  let operators: Operators
  let context: BrowserContext
  let page: Page & { complaints: string[] }

  beforeAll(async () => {
    await mkdir(folder, { recursive: true })
    await emptyRedis(redisUrl)
    furnished = await furnish(database)
    operators = await openOperators(
      { DATABASE_URL: database.url, REDIS_URL: redisUrl },
      { database: 'ok', redis: 'ok', consumer: 'ok', slow_consumer: 'unavailable' },
    )
    const { attempts, queueReader } = operators.services
    await until(
      () => Promise.resolve(attempts.isReady() && queueReader!.queues.length > 0),
      (isReady) => isReady,
    )
    const job = { deliveryId: 'some-0000', endpointId: furnished.busy }
    await attempts.add([
      buildDue(job),
      buildDue({ ...job, number: 2, delayMs: 3_600_000 }),
      buildDue({ ...job, number: 3, lane: 'slow' }),
    ])
    context = await browser.open({ httpCredentials: { username: 'ops', password: opsToken } })
    page = await openPage(context)
  })
  afterAll(async () => {
    await context?.close()
    await operators?.close()
  })

  const open = async (path: string): Promise<void> => {
    page.complaints.length = 0
    await page.setViewportSize(sizes.wide)
    await page.goto(operators.url + path)
  }

  test.each([
    ['operations', '/operations?refresh=off'],
    ['runbook', '/operations/runbook'],
  ])(
    '%s passes axe in light and dark, and fits 320 px',
    async (name, path) => {
      await open(path)
      await setDetails(page, true)
      expect(await lookAt(page, name)).toEqual([])
      expect(page.complaints).toEqual([])
    },
    180_000,
  )

  test('operations passes axe and fits while a session blocks others', async () => {
    const [blocker, waiting] = ['psql of Ana', 'hosting worker'].map(
      (name) => new pg.Client({ ...sessionConfigOf(database.url), application_name: name }),
    ) as [pg.Client, pg.Client]
    await Promise.all([blocker.connect(), waiting.connect()])
    await blocker.query('BEGIN; LOCK TABLE gate_invalidations')
    const blocked = waiting.query('LOCK TABLE gate_invalidations IN ACCESS EXCLUSIVE MODE')
    try {
      await until(
        async () => {
          await open('/operations?refresh=off')
          return await page.locator('main').innerText()
        },
        (text) => text.includes('blocks 1 other on gate_invalidations'),
      )
      expect(await lookAt(page, 'blocked')).toEqual([])
      expect(page.complaints).toEqual([])
    } finally {
      await blocker.end()
      await blocked.catch(() => undefined)
      await waiting.end()
    }
  }, 180_000)

  test('the navigation links lead to the pages', async () => {
    await open('/')
    expect(await page.title()).toBe('Operations · Hosting Control')
    for (const [name, url, title] of [
      ['Runbook', /\/runbook$/, 'Runbook · Hosting Control'],
      ['Operations', /\/operations$/, 'Operations · Hosting Control'],
      ['Queues', /\/queues/, 'Queues'],
    ] as const) {
      await page.getByRole('navigation').first().getByRole('link', { name, exact: true }).click()
      await page.waitForURL(url)
      expect(await page.title()).toContain(title)
    }
  })

  test('the link of a section leads to its section in the runbook', async () => {
    await open('/operations')
    await page.getByRole('link', { name: 'Runbook: Slow lane' }).click()
    await page.waitForURL(/#a-slow-endpoint$/)
    expect(await page.locator(':target').innerText()).toBe('A slow endpoint')
  })

  test('Bull Board works under its content security policy without browser errors', async () => {
    const name = operators.services.queueReader!.queues[0]!.name
    await open('/queues')
    await page.getByText(name).first().waitFor()
    await picture(page, 'queues')
    await page.goto(`${operators.url}/queues/queue/${encodeURIComponent(name)}?status=delayed`)
    await page.getByText('some-0000-2').first().waitFor()
    await picture(page, 'queue')
    await page.goto(`${operators.url}/queues/queue/${encodeURIComponent(name)}/some-0000-2`)
    await page.getByText(furnished.busy).first().waitFor()
    await picture(page, 'queue-job')
    for (const button of ['Retry', 'Promote', 'Clean', 'Delete', 'Edit', 'Pause']) {
      expect(await page.getByRole('button', { name: button }).count()).toBe(0)
    }
    expect(page.complaints).toEqual([])
  })
})

/** The problems of a page, in both color schemes and sizes. */
async function lookAt(page: Page, name: string): Promise<string[]> {
  const errors: string[] = []
  for (const [scheme, rules] of [
    ['light', allRules],
    ['dark', colorRules],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    errors.push(...(await errorsOf(page, rules)))
    await setDetails(page, true)
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (width > viewport.width) errors.push(`is ${width} px wide on ${viewport.width} px`)
      const cut = await page.evaluate(
        "[...document.querySelectorAll('.card')].filter((card) => card.scrollWidth > card.clientWidth).map((card) => card.ariaLabel)",
      )
      errors.push(...(cut as string[]).map((card) => `${card} is cut off on ${viewport.width} px`))
      await picture(page, `${name}-${scheme}-${size}`)
    }
    for (const width of name === 'operations' ? picturedWidths : []) {
      await page.setViewportSize({ width, height: 900 })
      await setDetails(page, false)
      await picture(page, `${name}-${width}-${scheme}`)
    }
    await page.setViewportSize(sizes.wide)
  }
  return errors
}

const setDetails = (page: Page, open: boolean): Promise<unknown> =>
  page.evaluate(`document.querySelectorAll('details').forEach((each) => (each.open = ${open}))`)

async function picture(page: Page, name: string): Promise<void> {
  if (keepsPictures)
    await page.screenshot({ path: `${folder}/operators-${name}.png`, fullPage: true })
}
