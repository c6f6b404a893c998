import type { Page } from 'playwright-core'
import type { TestTenant } from '../../support/api.ts'
import type { TestBrowser } from '../../support/browser.ts'
import { startReceiver, type Receiver } from '../../support/receiver.ts'
import { screens } from '../../support/screens.ts'
import { callWith, makeSignedIn, type PersonOptions } from '../../support/session.ts'
import type { Stack } from '../../support/stack.ts'
import { webhookUser } from '../../support/webhook-user.ts'
import { holdCookie, openPage } from '../panel-stack.ts'
import { fill, press } from '../ways.ts'

/** What all journeys share. Each has an organization of its own. */
export interface Ground {
  readonly stack: Stack
  readonly browser: TestBrowser
  /** Accepts every request. */
  readonly good: Receiver
  /** Fails every request until its path is in `repaired`. */
  readonly flaky: Receiver
  readonly repaired: Set<string>
  close(): Promise<void>
}

/** Starts the receivers and the worker. */
export async function prepareGround(stack: Stack, browser: TestBrowser): Promise<Ground> {
  const repaired = new Set<string>()
  const [good, flaky] = await Promise.all([
    startReceiver(),
    startReceiver({ respond: ({ path }) => ({ status: repaired.has(path) ? 204 : 500 }) }),
    stack.startWorker(),
  ])
  const close = async (): Promise<void> => {
    await Promise.all([good.close(), flaky.close()])
  }
  return { stack, browser, good, flaky, repaired, close }
}

type SignedIn = Awaited<ReturnType<typeof makeSignedIn>>

/** A browser in which the journeys are made. */
export interface Device {
  readonly width: keyof typeof screens
  readonly hasScripts: boolean
}

/** A person's way through the panel, in a browser with or without scripts, on a desktop or a phone. */
export class Walk {
  readonly ground: Ground
  readonly hasScripts: boolean
  readonly tenant: TestTenant
  readonly page: Page & { complaints: string[] }

  private constructor(
    ground: Ground,
    { hasScripts, tenant, page }: Pick<Walk, 'hasScripts' | 'tenant' | 'page'>,
  ) {
    this.ground = ground
    this.hasScripts = hasScripts
    this.tenant = tenant
    this.page = page
  }

  /** Opens an empty browser for a new organization. */
  static async begin(ground: Ground, { width, hasScripts }: Device): Promise<Walk> {
    const tenant = await ground.stack.api.makeTenant()
    const context = await ground.browser.open({
      javaScriptEnabled: hasScripts,
      viewport: screens[width],
    })
    if (hasScripts) await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    return new Walk(ground, { hasScripts, tenant, page: await openPage(context) })
  }

  get api() {
    return this.ground.stack.api
  }

  /** Signs a new person in without the sign-in page, and shows a page. */
  async enter(path: string, options: Parameters<typeof makeSignedIn>[2] = {}) {
    const person = await makeSignedIn(this.api, this.tenant, options)
    await holdCookie(this.ground.stack, this.page.context(), person.cookie)
    await this.go(path)
    return { person, call: this.callAs(person) }
  }

  callAs(person: SignedIn) {
    return callWith(this.api, person)
  }

  async go(path: string): Promise<void> {
    await this.page.goto(this.api.url + path)
  }

  write(fields: Readonly<Record<string, string>>): Promise<void> {
    return fill(this.page, fields)
  }

  press(name: string): Promise<void> {
    return press(this.page, name)
  }

  async follow(name: string | RegExp): Promise<void> {
    await this.page
      .getByRole('main')
      .getByRole('link', typeof name === 'string' ? { name, exact: true } : { name })
      .first()
      .click()
    await this.page.waitForLoadState()
  }

  /** Follows the first row of the list. */
  async followRow(): Promise<void> {
    await this.rows().first().locator('.row-link').click()
    await this.page.waitForLoadState()
  }

  /** On a phone, the navigation opens on request. */
  async openMenu(): Promise<void> {
    const opener = this.page.getByRole('button', { name: 'Menu', exact: true })
    if (await opener.isVisible()) await opener.click()
  }

  /** Chooses or writes the values of filters, by their labels. */
  async filter(values: Readonly<Record<string, string>>): Promise<void> {
    await this.openFilters()
    for (const [label, value] of Object.entries(values)) {
      const field = this.page.getByRole('search').getByLabel(label, { exact: true })
      const isList = (await field.evaluate((element) => element.nodeName)) === 'SELECT'
      await (isList ? field.selectOption(value) : field.fill(value))
    }
    await this.press('Filter')
  }

  async clearFilters(): Promise<void> {
    await this.follow('Clear')
  }

  private async openFilters(): Promise<void> {
    await this.page.locator('.filters .filter-menu > summary').click()
  }

  /** Waits for a text in the content of the page, which is refreshed by hand where there are no scripts. */
  async shows(text: string | RegExp): Promise<void> {
    const found = this.page.getByRole('main').getByText(text).first()
    const refresh = this.page.getByRole('link', { name: 'Refresh', exact: true })
    while (!(await found.isVisible()) && (await refresh.isVisible())) await this.follow('Refresh')
    await found.waitFor()
  }

  heading(): Promise<string | null> {
    return this.page.getByRole('heading', { level: 1 }).textContent()
  }

  async text(): Promise<string> {
    return (await this.page.getByRole('main').textContent())!
  }

  rows() {
    return this.page.getByRole('main').locator('table tbody tr')
  }

  /** The token or signing secret that the page shows once, copied with the button where there are scripts. */
  async takeSecret(): Promise<string> {
    const secret = (await this.page.locator('output#secret').textContent())!
    if (!this.hasScripts) return secret
    await this.page.getByRole('button', { name: 'Copy', exact: true }).click()
    await this.shows('Copied')
    return String(await this.page.evaluate('navigator.clipboard.readText()'))
  }

  /** The response of the API to a token. */
  async tryToken(token: string, path = '/auth/me') {
    const { status, body } = await this.api.call('get', path, { token })
    return { status, body }
  }

  publish(type?: string): Promise<string> {
    return webhookUser(this.ground.stack).publish(this.tenant, type)
  }
}

/** The options of a person who signs in on the page. */
export const withPassword = {
  password: 'a long enough sentence',
} as const satisfies PersonOptions

/** A journey, by what the person achieves. */
export type Journeys = Readonly<Record<string, (walk: Walk) => Promise<void>>>
