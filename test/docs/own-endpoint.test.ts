import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { root } from '../../tools/run.ts'
import { quickstartLanguages } from '../../tools/site/pages.ts'
import { holdCookie, openPage } from '../panel/panel-stack.ts'
import { visitorOf } from '../panel/visitor.ts'
import type { TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { errorsOnScreens } from '../support/screens.ts'
import { callWith, makeSignedIn, type PersonOptions } from '../support/session.ts'
import { useStack } from '../support/stack.ts'

const stack = useStack({ PUBLIC_URL: 'http://panel.test' })
let tenant: TestTenant

beforeAll(async () => {
  tenant = await stack.api.makeTenant()
  await stack.startWorker()
})

const path = '/docs/quickstart/python'
const paths = quickstartLanguages.map((language) => `/docs/quickstart/${language}`)

/** A new person of an organization, who is signed in. */
async function signIn(of = tenant, roles: PersonOptions['roles'] = ['admin']) {
  const session = await makeSignedIn(stack.api, of, { roles })
  const call = callWith(stack.api, session)
  const createEndpoint = async (url: string) =>
    (await call('post', '/webhooks', { body: { url, events: ['*'] } })).body as {
      webhook: { id: string }
      secret: string
    }
  return { session, call, createEndpoint, visitor: visitorOf(stack.api, session) }
}

/** The text of a page, without its elements. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

describe('a quickstart', () => {
  test.each(paths)('%s is the same for every signed-out reader', async (each) => {
    const pages = await Promise.all([
      visitorOf(stack.api).get(each),
      visitorOf(stack.api, { cookie: `session=${'a'.repeat(60)}`, csrfToken: '' }).get(each),
    ])
    for (const { status, headers, text } of pages) {
      expect(status).toBe(200)
      expect(headers['cache-control']).toBe('no-cache')
      expect(headers['vary']).toContain('Cookie')
      expect(headers['content-security-policy']).toContain("script-src 'self'; ")
      expect(text).not.toContain('own-endpoint')
    }
    expect(pages[0].text).toBe(pages[1].text)
  })

  test.each(paths)(
    '%s has the endpoint that a signed-in reader chose in its commands',
    async (each) => {
      const { createEndpoint, visitor } = await signIn(await stack.api.makeTenant())
      const { webhook, secret } = await createEndpoint("https://hooks.test.example/a?b=1&c='x'<y>")
      const { headers, text } = await visitor.get(`${each}?webhook_id=${webhook.id}`)
      expect(headers['cache-control']).toBe('private, no-store')
      expect(headers['vary']).toContain('Cookie')
      const commands = textOf(text)
        .split('\n')
        .filter((line) => line.startsWith('export '))
      const printed = spawnSync(
        'sh',
        ['-c', `${commands.join('\n')}\necho "$HCTL_URL $WEBHOOK_URL $WEBHOOK_ID"`],
        { encoding: 'utf8' },
      )
      expect(printed.stdout).toBe(
        `http://panel.test https://hooks.test.example/a?b=1&c='x'<y> ${webhook.id}\n`,
      )
      expect(text).not.toContain(secret)
      expect(textOf(text)).toContain('export HCTL_TOKEN=hctl_…')
      expect(text).toContain('Waiting for your first event')
      expect(text).toContain(
        `<a class="standalone" href="${each}?webhook_id=${webhook.id}">Check again</a>`,
      )
    },
  )

  test('names no endpoint that the reader has not chosen, and offers those that wait for their first event', async () => {
    const { createEndpoint, visitor } = await signIn(await stack.api.makeTenant())
    const first = await createEndpoint('https://one.test.example/')
    await createEndpoint('https://two.test.example/')
    const other = await (await signIn(tenant)).createEndpoint('https://other.test.example/')
    for (const query of ['', `?webhook_id=${other.webhook.id}`, '?webhook_id=x']) {
      const { text } = await visitor.get(path + query)
      expect(text).toContain(`<a href="?webhook_id=${first.webhook.id}">`)
      expect(textOf(text)).toContain('export WEBHOOK_URL=https://hooks.example.com/')
      expect(text).not.toContain(`WEBHOOK_ID=${first.webhook.id}`)
      expect(text).not.toContain('other.test.example')
    }
    const chosen = await visitor.get(`${path}?webhook_id=${first.webhook.id}`)
    expect(chosen.text).toContain('WEBHOOK_URL=https://one.test.example/')
    expect(chosen.text).not.toContain('two.test.example')
  })

  test('never names an endpoint that has received an event, nor leads to a rotation', async () => {
    const { createEndpoint, visitor } = await signIn(await stack.api.makeTenant())
    const { webhook } = await createEndpoint('https://used.test.example/')
    await stack.api.database.pool.query(
      'UPDATE webhook_endpoint_schedules SET last_success_at = now() WHERE endpoint_id = $1',
      [webhook.id],
    )
    for (const query of ['', `?webhook_id=${webhook.id}`]) {
      const { text } = await visitor.get(path + query)
      expect(textOf(text)).not.toContain('export WEBHOOK_URL=https://used')
      expect(text).not.toContain(`WEBHOOK_ID=${webhook.id}`)
      expect(text).not.toContain('/rotate')
    }
    expect((await visitor.get(path)).text).not.toContain('used.test.example')
  })

  test('says that a disabled endpoint is disabled', async () => {
    const { call, createEndpoint, visitor } = await signIn(await stack.api.makeTenant())
    const { webhook } = await createEndpoint('https://one.test.example/')
    await call('patch', `/webhooks/${webhook.id}`, { body: { enabled: false } })
    const { text } = await visitor.get(`${path}?webhook_id=${webhook.id}`)
    expect(text).toContain('It is disabled')
    expect(text).not.toContain('Waiting for your first event')
  })

  test('is the public page for a reader who may not see endpoints', async () => {
    const { visitor } = await signIn(tenant, ['customer'])
    const { status, headers, text } = await visitor.get(path)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-cache')
    expect(text).not.toContain('own-endpoint')
  })

  test('contains the variables that are replaced', () => {
    for (const language of quickstartLanguages) {
      const text = readFileSync(`${root}docs/generated/quickstart/${language}.md`, 'utf8')
      for (const name of ['HCTL_URL', 'WEBHOOK_URL', 'WEBHOOK_ID']) {
        expect(text).toMatch(new RegExp(`^export ${name}=`, 'm'))
      }
      const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code!)
      // Set before, or explained by a comment of the block.
      const isSet = (name: string, index: number): boolean =>
        blocks.slice(0, index + 1).some((code) => code.includes(`export ${name}=`)) ||
        blocks[index]!.includes(`# ${name}: `)
      const unset = blocks.flatMap((code, index) =>
        [...code.matchAll(/\$([A-Z_]+)/g)]
          .map(([, name]) => name!)
          .filter((name) => !isSet(name, index)),
      )
      expect([language, unset]).toEqual([language, []])
    }
  })
})

describeInBrowser('a quickstart in Chromium', () => {
  const browser = useBrowser()
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver.close())

  async function open(cookie: string, javaScriptEnabled = true) {
    const context = await browser.open({ javaScriptEnabled })
    await holdCookie(stack, context, cookie)
    const page: Page & { complaints: string[] } = await openPage(context)
    await page.goto(stack.api.url + path)
    return page
  }

  test('shows a new endpoint, waits for its first event and shows it without a reload', async () => {
    const { session, call, createEndpoint } = await signIn(await stack.api.makeTenant())
    const page = await open(session.cookie)
    await page.getByText('No endpoint waits for its first event').waitFor()
    expect(await errorsOnScreens(page, 'quickstart-no-endpoint')).toEqual([])
    await page.evaluate('window.isSame = true')

    const { webhook } = await createEndpoint(`${receiver.url}hook`)
    expect(await page.evaluate('window.isSame')).toBe(true)
    await page.getByRole('link', { name: `${receiver.url}hook` }).click()
    await page.getByText('Waiting for your first event').waitFor()
    await page.evaluate('window.isSame = true')
    await page.getByText(`export WEBHOOK_ID=${webhook.id}`).waitFor()
    expect(await errorsOnScreens(page, 'quickstart-waiting')).toEqual([])
    await call('post', `/webhooks/${webhook.id}/test`, { body: { event_type: 'site.created' } })
    await page.getByText('Your endpoint has received its first event').waitFor()
    expect(await page.evaluate('window.isSame')).toBe(true)
    expect(await errorsOnScreens(page, 'quickstart-received')).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('works without scripts through a link', async () => {
    const { session, call, createEndpoint } = await signIn(await stack.api.makeTenant())
    const { webhook } = await createEndpoint(`${receiver.url}hook`)
    const page = await open(session.cookie, false)
    await page.getByRole('link', { name: `${receiver.url}hook` }).click()
    await page.getByText('Waiting for your first event').waitFor()
    const sent = receiver.next()
    await call('post', `/webhooks/${webhook.id}/ping`)
    await sent
    const received = page.getByText('Your endpoint has received its first event')
    while (!(await received.isVisible())) {
      await page.getByRole('link', { name: 'Check again' }).click()
    }
    expect(page.complaints).toEqual([])
  })
})
