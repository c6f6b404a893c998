import { beforeAll, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { readStartOptions } from '../../tools/start/options.ts'
import { root } from '../../tools/run.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { makePerson, makeSignedIn } from '../support/session.ts'
import { useStack } from '../support/stack.ts'
import { errorsOnScreens } from '../support/screens.ts'
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
  })

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

  /** The errors of a page, also of its console. */
  async function errorsAt(context: BrowserContext, url: string, name: string): Promise<string[]> {
    const page = await openPage(context)
    await page.goto(url)
    expect(await page.title()).toContain('Northwind Cloud')
    // Operators work at desks: only the targets of the panel and the documentation are large.
    const checksTargets = context !== operators
    const errors = await errorsOnScreens(page, `brand-${name}`, { checksTargets })
    const complaints = page.complaints.map((complaint) => `${name}: ${complaint}`)
    await page.close()
    return [...errors, ...complaints]
  }

  test('its panel and documentation pass axe on a desktop and a phone, in light and dark', async () => {
    const errors: string[] = []
    for (const path of ['/', '/keys', '/webhooks/new']) {
      errors.push(
        ...(await errorsAt(ana, stack.api.url + path, `panel${path.replaceAll('/', '-')}`)),
      )
    }
    for (const path of ['/docs', '/docs/webhooks', '/docs/events', '/problems']) {
      errors.push(
        ...(await errorsAt(nobody, stack.api.url + path, path.slice(1).replace('/', '-'))),
      )
    }
    errors.push(...(await errorsAt(nobody, `${stack.api.internalUrl}/docs`, 'internal')))
    expect(errors).toEqual([])
  }, 240_000)

  test('its sign-in pages for the provider and for links pass axe', async () => {
    const withoutPassword = await signedIn({ withoutPassword: true, confirmedMsAgo: 3_600_000 })
    const { url } = stack.api
    const used = await createLink()
    await fetch(url + used, { method: 'POST', redirect: 'manual' })
    const errors = [
      ...(await errorsAt(nobody, `${url}/sign-in`, 'sign-in')),
      ...(await errorsAt(nobody, `${url}/sign-in?reason=oidc_failed`, 'sign-in-oidc-failed')),
      ...(await errorsAt(nobody, `${url}/sign-in/oidc`, 'sign-in-oidc-away')),
      ...(await errorsAt(nobody, `${url}/sign-in?reason=signed_out`, 'signed-out')),
      ...(await errorsAt(withoutPassword, `${url}/confirm`, 'confirm-oidc')),
      ...(await errorsAt(ana, url + (await createLink()), 'link-of-another-person')),
      ...(await errorsAt(nobody, url + used, 'link-used')),
    ]
    expect(errors).toEqual([])
  }, 240_000)

  test('its operator pages pass axe', async () => {
    operators = await browser.open({
      httpCredentials: { username: 'ops', password: opsToken },
    })
    const url = `http://127.0.0.1:${worker.internalPort}/operations`
    const errors = [
      ...(await errorsAt(operators, `${url}?refresh=off`, 'operations')),
      ...(await errorsAt(operators, `${url}/runbook`, 'runbook')),
    ]
    expect(errors).toEqual([])
  }, 300_000)
})
