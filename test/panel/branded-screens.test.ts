import { beforeAll, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { readStartOptions } from '../../tools/start/options.ts'
import { root } from '../../tools/run.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { makePerson, makeSignedIn } from '../support/session.ts'
import { useStack } from '../support/stack.ts'
import { faultsOnScreens } from '../support/screens.ts'
import { holdCookie, openPage } from './panel-stack.ts'

const opsToken = 'ops-token-of-a-brand'
const providerPort = await freePort()
const { brand } = await readStartOptions(['--brand', `${root}examples/brand`])

describeInBrowser('a branded installation with an identity provider', () => {
  const stack = useStack({
    ...brand,
    OPS_TOKEN: opsToken,
    // It is not contacted by these pages.
    OIDC_ISSUER: `http://localhost:${providerPort}`,
    OIDC_CLIENT_ID: 'panel',
  })
  const browser = useBrowser()
  let worker: ServiceProcess
  let ana: BrowserContext
  let nobody: BrowserContext
  let operators: BrowserContext

  beforeAll(async () => {
    worker = await stack.startWorker()
    ana = await signedIn()
    nobody = await browser.open()
  }, 60_000)

  async function signedIn(options: Parameters<typeof makeSignedIn>[2] = {}) {
    const person = await makeSignedIn(stack.api, await stack.api.makeTenant(), options)
    const context = await browser.open()
    await holdCookie(stack, context, person.cookie)
    return context
  }

  async function createLink(): Promise<string> {
    const { id } = await makePerson(stack.api, await stack.api.makeTenant(), { name: 'Bo' })
    const { body } = await stack.api.callInternal('post', `/users/${id}/sign-in-links`, {})
    return new URL(body.url as string).pathname
  }

  /** The faults of a page, also of its console. */
  async function faultsAt(context: BrowserContext, url: string, name: string): Promise<string[]> {
    const page = await openPage(context)
    await page.goto(url)
    expect(await page.title()).toContain('Northwind Cloud')
    // Operators work at desks: only the targets of the panel and the documentation are large.
    const checksTargets = context !== operators
    const faults = await faultsOnScreens(page, `brand-${name}`, { checksTargets })
    const complaints = page.complaints.map((complaint) => `${name}: ${complaint}`)
    await page.close()
    return [...faults, ...complaints]
  }

  test('its panel and documentation pass axe on a desktop and a phone, in light and dark', async () => {
    const faults: string[] = []
    for (const path of ['/', '/keys', '/webhooks/new']) {
      faults.push(
        ...(await faultsAt(ana, stack.api.url + path, `panel${path.replaceAll('/', '-')}`)),
      )
    }
    for (const path of ['/docs', '/docs/webhooks', '/docs/events', '/problems']) {
      faults.push(
        ...(await faultsAt(nobody, stack.api.url + path, path.slice(1).replace('/', '-'))),
      )
    }
    faults.push(...(await faultsAt(nobody, `${stack.api.internalUrl}/docs`, 'internal')))
    expect(faults).toEqual([])
  }, 240_000)

  test('its sign-in pages for the provider and for links pass axe', async () => {
    const withoutPassword = await signedIn({ withoutPassword: true, confirmedMsAgo: 3_600_000 })
    const { url } = stack.api
    const used = await createLink()
    await fetch(url + used, { method: 'POST', redirect: 'manual' })
    const faults = [
      ...(await faultsAt(nobody, `${url}/sign-in`, 'sign-in')),
      ...(await faultsAt(nobody, `${url}/sign-in?reason=oidc_failed`, 'sign-in-oidc-failed')),
      ...(await faultsAt(nobody, `${url}/sign-in/oidc`, 'sign-in-oidc-away')),
      ...(await faultsAt(nobody, `${url}/sign-in?reason=signed_out`, 'signed-out')),
      ...(await faultsAt(withoutPassword, `${url}/confirm`, 'confirm-oidc')),
      ...(await faultsAt(ana, url + (await createLink()), 'link-of-another-person')),
      ...(await faultsAt(nobody, url + used, 'link-used')),
    ]
    expect(faults).toEqual([])
  }, 240_000)

  test('its operator pages pass axe', async () => {
    operators = await browser.open({
      httpCredentials: { username: 'ops', password: opsToken },
    })
    const url = `http://127.0.0.1:${worker.internalPort}/operations`
    const faults = [
      ...(await faultsAt(operators, `${url}?refresh=off`, 'operations')),
      ...(await faultsAt(operators, `${url}/runbook`, 'runbook')),
    ]
    expect(faults).toEqual([])
  }, 120_000)
})
