import { beforeAll, describe, expect, test } from '@jest/globals'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordAttempts } from '../../api/test/support/recorded-attempts.ts'
import { documentOf, failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)
let id: string

const createWords = ['webhooks', 'create', '--json', '--url', 'http://127.0.0.1:9/hook']

beforeAll(async () => {
  const words = ['--event-type', 'site.*', '--event-type', 'job.failed', '--description', 'a b']
  const created = documentOf(await hctl([...createWords, ...words]))
  expect(created).toMatchObject({
    webhook: { events: ['site.*', 'job.failed'], description: 'a b', enabled: true },
    secret: expect.stringMatching(/^whsec_/),
  })
  id = created.webhook.id
})

describe('hctl webhooks create', () => {
  test('names the option, the value and the valid values of a rejected pattern', async () => {
    const refused = await hctl('webhooks create --url http://127.0.0.1:9/ --event-type foo.*')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /^✗ One or more values are invalid\.\n {2}--event-type foo\.\*: /,
    )
    expect(refused.stderr).toContain('hctl events types shows the valid values.')
  })
})

describe('hctl webhooks list', () => {
  test('lists the webhooks', async () => {
    expect((await hctl('webhooks list')).stdout).toMatch(new RegExp(`${id} +a b +Enabled.*http`))
  })
})

describe('hctl webhooks show', () => {
  test('shows one webhook', async () => {
    const { webhook } = documentOf(await hctl(`webhooks show ${id} --json`))
    expect(webhook).toMatchObject({ id, url: 'http://127.0.0.1:9/hook' })
    expect((await hctl(`webhooks show ${id}`)).stdout).toMatch(/\nstatus +Enabled\n/)
  })

  test('exits with 1 for an unknown id, and names it', async () => {
    const missing = await hctl('webhooks show nonsense')
    expect(missing.code).toBe(1)
    expect(missing.stderr).toContain('There is no webhook with the id or name "nonsense"')
  })
})

describe('hctl webhooks update', () => {
  test('changes only what is given', async () => {
    const changed = documentOf(
      await hctl(`webhooks update ${id} --no-enabled --event-type * --json`),
    )
    expect(changed.webhook).toMatchObject({ enabled: false, events: ['*'], description: 'a b' })
    expect((await hctl(`webhooks update ${id} --enabled`)).code).toBe(0)
  })

  test('exits with 2 if nothing is given', async () => {
    const nothing = await hctl(`webhooks update ${id} --json`)
    expect(failureOf(nothing)).toEqual({ exit: 2, code: 'usage' })
  })
})

describe('limits of a webhook', () => {
  test('are set, shown and removed', async () => {
    const words = '--rate-limit 5 --disable-after 24'
    const changed = documentOf(await hctl(`webhooks update ${id} ${words} --json`))
    expect(changed.webhook).toMatchObject({
      rate_limit_per_second: 5,
      disable_after_failing_hours: 24,
      description: 'a b',
    })
    const { stdout } = await hctl(`webhooks show ${id}`)
    expect(stdout).toMatch(/\nrate limit +5 per second\ndisable after +24 h of failures\n/)
    expect(stdout).toMatch(/\nhealth +No attempts yet\n/)
    const none = '--rate-limit none --disable-after none'
    expect(documentOf(await hctl(`webhooks update ${id} ${none} --json`)).webhook).toMatchObject({
      rate_limit_per_second: null,
      disable_after_failing_hours: null,
    })
  })

  test('names the option of a value that is out of range', async () => {
    const refused = await hctl(`webhooks update ${id} --rate-limit 1001`)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('--rate-limit 1001')
  })

  test('exits with 2 for a value that is not a number', async () => {
    expect((await hctl(`webhooks update ${id} --rate-limit many`)).code).toBe(2)
  })
})

describe('accounts of a webhook', () => {
  test('are set, shown, reconciled and removed', async () => {
    const account = await user.tenant.makeAccount()
    const change = async (words: string) =>
      documentOf(await hctl(`webhooks update ${id} ${words} --json`)).webhook.accounts
    expect(await change(`--account ${account}`)).toEqual([account])
    expect((await hctl(`webhooks show ${id}`)).stdout).toMatch(
      new RegExp(`\\naccounts +${account}\\n`),
    )
    for (const account_id of [account, 'another']) {
      const data = { object_type: 'backup', object_id: 'backup-1', account_id }
      const event = { tenant_id: user.tenant.id, type: 'backup.completed', data }
      await user.api.callInternal('post', '/events', event)
    }
    const words = `webhooks reconcile ${id} --since 1h --ids - --json`
    expect(JSON.parse((await hctl(words, { stdin: '' })).stdout)).toMatchObject({ events: 1 })
    expect(await change('--any-account')).toBeNull()
    const both = await hctl(`webhooks update ${id} --account ${account} --any-account --json`)
    expect(failureOf(both)).toEqual({ exit: 2, code: 'usage' })
  })
})

describe('hctl webhooks incidents', () => {
  test('lists the incidents of a webhook', async () => {
    expect(documentOf(await hctl(`webhooks incidents ${id} --json`))).toEqual({
      items: [],
      has_more: false,
    })
  })

  test('shows health and incidents in the words of the panel', async () => {
    const { api, tenant } = user
    const create = 'webhooks create --url http://127.0.0.1:9/failing --event-type * --json'
    const webhookId = documentOf(await hctl(create)).webhook.id as string
    await recordAttempts(api, { tenant, webhookId }, 'SF')
    expect((await hctl(`webhooks show ${webhookId}`)).stdout).toMatch(/\ncustom headers +-\n/)
    expect((await hctl(`webhooks show ${webhookId}`)).stdout).toMatch(
      /\nhealth +Unstable; failures in a row: 1, last: HTTP 503\n/,
    )
    await recordAttempts(api, { tenant, webhookId }, 'FFFF')
    expect((await hctl(`webhooks show ${webhookId}`)).stdout).toMatch(
      /\nhealth +Failing since .+Z; failures in a row: 5, last: HTTP 503\n/,
    )
    expect((await hctl(`webhooks incidents ${webhookId}`)).stdout).toMatch(/ Open .* HTTP 503\n/)
    await recordAttempts(api, { tenant, webhookId }, 'S')
    expect((await hctl(`webhooks incidents ${webhookId}`)).stdout).toMatch(/ Recovered /)
    expect((await hctl('webhooks list')).stdout).toMatch(/\/failing +Enabled +Healthy /)
    expect((await hctl(`webhooks show ${webhookId}`)).stdout).toMatch(
      /\nhealth +Healthy\nfailed in 24 hours +71%\n/,
    )
  })
})

describe('custom headers and Standard Webhooks', () => {
  const change = async (words: readonly string[]) =>
    documentOf(await hctl(['webhooks', 'update', id, '--json', ...words])).webhook

  test('are set with --header, from the command line or from a file', async () => {
    const path = join(tmpdir(), `hctl-headers-${id}`)
    await writeFile(path, 'Authorization: Bearer a, b: c\n\nX-File: yes\r\n')
    const changed = await change(['--header', 'X-Env: test, staging', '--header', `@${path}`])
    await rm(path)
    expect(changed.header_names).toEqual(['authorization', 'x-env', 'x-file'])
    const { stdout } = await hctl(`webhooks show ${id}`)
    expect(stdout).toMatch(/\ncustom headers +authorization, ?x-env, ?x-file\n/)
  })

  test('must be given again, or removed, if the URL changes to another host', async () => {
    await change(['--header', 'X-A: 1'])
    const url = 'https://another.example.com/in'
    const refused = await hctl(['webhooks', 'update', id, '--url', url])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('--header')
    expect((await change(['--url', url, '--header', 'X-B: 2'])).header_names).toEqual(['x-b'])
  })

  test('are removed with --no-headers', async () => {
    expect((await change(['--no-headers'])).header_names).toEqual([])
  })

  test('exits with 1 and names the option for a reserved name', async () => {
    const refused = await hctl(['webhooks', 'update', id, '--header', 'Host: example.com'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('--header')
    expect(refused.stderr).toContain('reserved')
    expect(refused.stderr).not.toContain('example.com')
  })

  test.each([
    ['a header without a colon', ['--header', 'X-Env']],
    ['a header that is given twice', ['--header', 'X-A: 1', '--header', 'X-A: 2']],
    ['a missing file', ['--header', '@/no/such/file']],
    ['both options', ['--header', 'X-A: 1', '--no-headers']],
  ])('exits with 2 for %s', async (_what, words) => {
    const refused = await hctl(['webhooks', 'update', id, '--json', ...words])
    expect(failureOf(refused)).toEqual({ exit: 2, code: 'usage' })
  })

  test('are turned on and off with --standard-webhooks', async () => {
    expect((await change(['--standard-webhooks'])).standard_webhooks).toBe(true)
    expect((await change(['--no-standard-webhooks'])).standard_webhooks).toBe(false)
  })

  test('can be given on create', async () => {
    const words = ['--event-type', '*', '--header', 'X-A: 1', '--standard-webhooks']
    const { webhook } = documentOf(await hctl([...createWords, ...words]))
    expect(webhook).toMatchObject({ header_names: ['x-a'], standard_webhooks: true })
    await hctl(`webhooks delete ${webhook.id} --yes`)
  })
})

describe('hctl webhooks ping', () => {
  test('creates a delivery and says how to see its result', async () => {
    const { stdout, stderr } = await hctl(`webhooks ping ${id}`)
    const [, deliveryId] = /^delivery +(\S+)\nevent +webhook\.ping/.exec(stdout)!
    expect(stderr).toContain(`hctl deliveries show ${deliveryId}`)
  })
})

describe('hctl webhooks test', () => {
  test('sends the example of an event type', async () => {
    const tested = documentOf(await hctl(`webhooks test ${id} --event-type backup.failed --json`))
    expect(tested.delivery.payload.data).toMatchObject({ object_id: 'example-backup' })
  })

  test('exits with 1 for webhook.ping', async () => {
    const ping = await hctl(`webhooks test ${id} --event-type webhook.ping --json`)
    expect(failureOf(ping)).toEqual({ exit: 1, code: 'validation_failed' })
  })
})

describe('hctl webhooks rotate-secret', () => {
  test('returns a new secret, with an overlap period', async () => {
    const rotated = documentOf(await hctl(`webhooks rotate-secret ${id} --grace 15m --json`))
    expect(rotated.webhook.previous_secret_expires_at).not.toBeNull()
    expect(rotated.secret).toMatch(/^whsec_/)
  })
})

describe('hctl webhooks delete', () => {
  test('exits with 2 without --yes if nobody can be asked, and deletes nothing', async () => {
    const refused = await hctl(`webhooks delete ${id} --json`)
    expect(failureOf(refused)).toEqual({ exit: 2, code: 'confirmation_required' })
    expect((await hctl(`webhooks show ${id}`)).code).toBe(0)
  })

  test('deletes with --yes', async () => {
    const created = documentOf(await hctl([...createWords, '--event-type', '*']))
    const doomed = created.webhook.id as string
    expect(documentOf(await hctl(`webhooks delete ${doomed} --yes --json`))).toEqual({
      id: doomed,
      status: 'deleted',
    })
    expect(failureOf(await hctl(`webhooks ping ${doomed} --json`))).toEqual({
      exit: 1,
      code: 'not_found',
    })
  })
})

describe('hctl events types', () => {
  test('lists types and descriptions, and marks reserved types', async () => {
    const types = await hctl('events types')
    expect(types.stdout).toMatch(/^TYPE +DESCRIPTION +NOTE\n[^]*\nsite\.created /)
    expect(types.stdout).toMatch(/invoice\.ready .* reserved/)
  })
})
