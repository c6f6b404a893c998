import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import { basic } from '../../apps/worker/test/operators/operators.ts'
import { createKeysByKey } from '../support/key-notices.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { callWith, makeSignedIn, type TestSession } from '../support/session.ts'
import { until, useStack } from '../support/stack.ts'
import { writeTemporary } from '../support/temporary-folder.ts'

const name = 'Åcme & Søn'
const brand = {
  KEY_PREFIX: 'acme',
  WEBHOOK_HEADER_PREFIX: 'Acme-Hosting',
  WEBHOOK_USER_AGENT: 'Acme-Webhooks/1',
  BRAND_NAME: name,
  BRAND_COMMAND: 'acmectl',
  BRAND_COLOR: '#0a6b3d',
  BRAND_LOGO: writeTemporary('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
}
const opsToken = 'ops-token-of-acme'
const stack = useStack({ ...brand, OPS_TOKEN: opsToken })

/** The default names. The variables of the command, such as `HCTL_TOKEN`, have no other name. */
const defaultNames = [
  /Hosting Control|Service-Webhooks|service-(?:event|delivery|timestamp|signature)|HTTP_SERVICE|Service-\*/i,
  /(?<!_)hctl(?!_complete)/,
  /hosting[-_]sdk|@hosting\/(?:sdk|cli)\b/,
]
const namesIn = (text: string): string[] =>
  defaultNames.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])

let mails: MailServer
let receiver: Receiver
let worker: ServiceProcess
let ana: TestSession
let webhook: { readonly id: string; readonly secret: string }

beforeAll(async () => {
  mails = await startMailServer()
  receiver = await startReceiver()
  worker = await stack.startWorker({
    SMTP_URL: mails.url,
    MAIL_FROM: 'notices@example.test',
    PUBLIC_URL: 'https://panel.example.test',
  })
  ana = await makeSignedIn(stack.api, await stack.api.makeTenant())
  const body = { url: receiver.url, events: ['*'] }
  const made = await callWith(stack.api, ana)('post', '/webhooks', { body })
  webhook = { id: made.body.webhook.id as string, secret: made.body.secret as string }
})
afterAll(async () => {
  await mails.close()
  await receiver.close()
})

/** A text that is served to this visitor, without its secrets of the installation. */
async function read(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers, redirect: 'manual' })
  const type = response.headers.get('content-type') ?? ''
  const content = Buffer.from(await response.arrayBuffer())
  const text = type === 'application/gzip' ? gunzipSync(content).toString() : content.toString()
  return { status: response.status, type, text }
}

/** The body of a download, one character a byte. */
async function bodyOf(path: string, decode = (content: Buffer): Buffer => content) {
  const response = await fetch(stack.api.url + path)
  return decode(Buffer.from(await response.arrayBuffer())).toString('latin1')
}

const linksIn = (text: string): string[] =>
  [...text.matchAll(/<a\s[^>]*?href="(\/[^"#]*)/g)].map(([, path]) =>
    path!.replaceAll('&amp;', '&'),
  )

/** Node, and the code of the single file. A checkout rarely has them. */
const executable = /-linux-\w+\.gz$/

/** Reads everything that can be reached by links from these paths. */
async function crawl(origin: string, starts: readonly string[], headers = {}) {
  const found = new Map<string, Awaited<ReturnType<typeof read>>>()
  const waiting = [...starts]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    const page = await read(origin + path, headers)
    found.set(path, page)
    const isFollowed = (link: string) => !executable.test(link)
    if (page.type.startsWith('text/html')) waiting.push(...linksIn(page.text).filter(isFollowed))
  }
  return found
}

const errorsOf = (found: Awaited<ReturnType<typeof crawl>>): string[] =>
  [...found].flatMap(([path, { text }]) => namesIn(text).map((word) => `${path}: ${word}`))

describe('a branded installation shows no default name', () => {
  test('in its documentation, its API document, the problems and the single files', async () => {
    const found = await crawl(stack.api.url, ['/docs', '/problems', '/api/v1/openapi.json'])
    expect(found.size).toBeGreaterThan(60)
    const isPackage = (path: string) => /\.(?:tgz|mjs)$/.test(path)
    expect(errorsOf(new Map([...found].filter(([path]) => !isPackage(path))))).toEqual([])
    expect(found.get('/docs')!.text).toContain('<title>Documentation · Åcme &amp; Søn</title>')
    expect(found.get('/downloads/verify_webhook.py')!.text).toContain('Acme-Hosting-Signature')
    expect(found.get('/docs/webhooks')!.text).toContain('HTTP_ACME_HOSTING_SIGNATURE')
    expect(found.get('/docs/webhooks')!.text).toContain('Acme-Webhooks/1')
    expect(found.get('/docs/specification/api-keys')!.text).toContain('^acme_[a-z2-7]{12}_')
  })

  test('in the packages, except for the example of the default header', async () => {
    for (const file of ['acmectl.mjs', 'acmectl.tgz', 'sdk.tgz']) {
      const { status, text } = await read(`${stack.api.url}/downloads/${file}`)
      expect(status).toBe(200)
      expect(namesIn(text.replaceAll("headers['service-signature']", ''))).toEqual([])
    }
  })

  test('in what its command prints', async () => {
    const file = writeTemporary(
      'acmectl.mjs',
      (await read(`${stack.api.url}/downloads/acmectl.mjs`)).text,
    )
    const run = (...words: string[]) => {
      const { stdout, stderr } = spawnSync(process.execPath, [file, ...words], { encoding: 'utf8' })
      return stdout + stderr
    }
    expect(run('--help')).toContain('Usage: acmectl ')
    const printed = [['--help'], ['login', '--help'], ['webhooks', 'list'], ['completion', 'bash']]
    for (const words of printed) expect(namesIn(run(...words))).toEqual([])
  })

  test.each([
    ['acmectl.tgz', 'hctl.tgz'],
    ['acmectl.mjs', 'hctl.mjs'],
    ['acmectl_sdk.whl', 'hosting_sdk.whl'],
  ])('/downloads/%s is at /downloads/%s too', async (branded, standard) => {
    expect(await bodyOf(`/downloads/${standard}`)).toBe(await bodyOf(`/downloads/${branded}`))
  })

  test('in its packages for npm and Python', async () => {
    const manifest = await bodyOf('/downloads/sdk.tgz', gunzipSync)
    expect(manifest).toContain('"name": "@acmectl/sdk"')
    const { headers } = await fetch(`${stack.api.url}/downloads/acmectl_sdk.whl`)
    expect(headers.get('content-disposition')).toMatch(
      /filename="acmectl_sdk-[\d.]+-py3-none-any\.whl"/,
    )
    expect(await bodyOf('/downloads/acmectl_sdk.whl')).toContain('acmectl_sdk/__init__.py')
  })

  test('on the pages of the panel', async () => {
    const signedIn = { cookie: ana.cookie }
    const found = await crawl(stack.api.url, ['/', `/webhooks/${webhook.id}`], signedIn)
    const panel = new Map([...found].filter(([path]) => !path.startsWith('/downloads/')))
    expect(panel.size).toBeGreaterThan(20)
    expect(errorsOf(panel)).toEqual([])
    expect(errorsOf(await crawl(stack.api.url, ['/sign-in']))).not.toContain('/sign-in')
    expect(panel.get(`/webhooks/${webhook.id}`)!.text).toContain('Acme-Hosting-Signature')
  })

  test('in the documents for the platform, except those about the settings and its SDK', async () => {
    const paths = ['/docs', '/internal/v1/openapi.json']
    const found = [...(await crawl(stack.api.internalUrl, paths))].filter(
      ([path]) => !/\/(configuration|operations|branding)(\.md)?$|\.tgz$/.test(path),
    )
    expect(found.length).toBeGreaterThan(60)
    expect(errorsOf(new Map(found))).toEqual([])
  })

  test("on the operators' pages, which have the color, too", async () => {
    const url = `http://127.0.0.1:${worker.internalPort}`
    const headers = { authorization: basic(opsToken) }
    const pages = ['/operations', '/operations/runbook']
    const found = new Map<string, Awaited<ReturnType<typeof read>>>()
    for (const path of pages) found.set(path, await read(url + path, headers))
    expect([...found.values()].map(({ status }) => status)).toEqual([200, 200])
    expect(errorsOf(found)).toEqual([])
    for (const { text } of found.values()) {
      expect(text).toContain('<p class="brand">Åcme &amp; Søn</p>')
      const [, style] = /href="(\/operations\/brand\.\w+\.css)"/.exec(text)!
      expect((await read(url + style!, headers)).text).toContain('light-dark(#0a6b3d')
    }
  })

  test('in its mails', async () => {
    await createKeysByKey(stack.api, callWith(stack.api, ana), ['build'])
    const [mail] = await mails.arrivalOf(1)
    const source = mail!.source.replaceAll('=\r\n', '')
    expect(namesIn(source)).toEqual([])
    expect(source).toMatch(/^From: =\?UTF-8\?/m)
  })
})

describe('a delivery of a branded installation', () => {
  const unescape = (html: string): string =>
    html
      // Highlighting
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')

  test('is verified by the code of the guide that the installation serves', async () => {
    const call = callWith(stack.api, ana)
    const event = { body: { event_type: 'site.created' } }
    expect((await call('post', `/webhooks/${webhook.id}/test`, event)).status).toBe(202)
    await until(
      () => Promise.resolve(receiver.requests),
      (requests) => requests.length > 0,
    )
    const { headers, body } = receiver.requests[0]!
    expect(headers['user-agent']).toBe('Acme-Webhooks/1')
    expect(Object.keys(headers).filter((each) => each.startsWith('service-'))).toEqual([])

    const { text } = await read(`${stack.api.url}/docs/webhooks`)
    const blocks = [...text.matchAll(/<pre><code[^>]*>([^]*?)<\/code>/g)].map(([, code]) =>
      unescape(code!),
    )
    const code = blocks.find((block) => block.includes('def verify_webhook('))!
    const [, header] = /request\.headers\.get\("([\w-]+)"/.exec(blocks.join('\n'))!
    expect(header).toBe('Acme-Hosting-Signature')
    const verify = (sent: string) => {
      const input = JSON.stringify([sent, headers[header!.toLowerCase()], webhook.secret])
      const main = `${code}\nimport sys, json\nsent, header, secret = json.loads(sys.argv[1])\nprint(verify_webhook(sent.encode(), header, [secret]))\n`
      return spawnSync('python3', ['-c', main, input], { encoding: 'utf8' }).stdout.trim()
    }
    expect(verify(body.toString())).toBe('True')
    expect(verify(`${body.toString()} `)).toBe('False')
  })
})
