import { beforeAll, describe, expect, test } from '@jest/globals'
import { fittingRecords } from '../src/references/resolve.ts'
import { documentOf, failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

/** Creates a webhook with a description and returns its id. */
async function createWebhook(description: string, ...options: string[]): Promise<string> {
  const words = ['--url', 'http://127.0.0.1:9/hook', '--event-type', '*', ...options]
  const line = ['webhooks', 'create', '--json', ...words, '--description', description]
  return documentOf(await hctl(line)).webhook.id as string
}

async function createKey(name: string): Promise<string> {
  const line = ['keys', 'create', '--json', '--scope', 'sites:read', '--name', name]
  return documentOf(await hctl(line)).key.id as string
}

let billing = ''
let shop = ''
beforeAll(async () => {
  billing = await createWebhook('Billing connector', '--external-id', 'crm/invoices')
  shop = await createWebhook('Shop')
  await createWebhook('Shopping list')
})

describe('a webhook', () => {
  test.each([
    ['its description, in any case', 'billing CONNECTOR'],
    ['the beginning of its description', 'billing'],
    ['its external id', 'crm/invoices'],
  ])('is found by %s', async (_what, text) => {
    const { webhook } = documentOf(await hctl(['webhooks', 'show', text, '--json']))
    expect(webhook.id).toBe(billing)
  })

  test('is found by the beginning of its id', async () => {
    const line = `webhooks show ${billing.slice(0, -1)} --json`
    expect(documentOf(await hctl(line)).webhook.id).toBe(billing)
  })

  test('is found by its whole name though another name begins with it', async () => {
    expect(documentOf(await hctl('webhooks show shop --json')).webhook.id).toBe(shop)
  })

  test('is found in options too', async () => {
    const { delivery } = documentOf(await hctl(`webhooks ping ${billing} --json`))
    const line = ['deliveries', 'list', '--json', '--webhook', 'Billing connector']
    const { items } = documentOf(await hctl(line))
    expect(items.map(({ id }: { id: string }) => id)).toEqual([delivery.id])
  })

  test('exits with 2 and lists the candidates if several fit and nobody can be asked', async () => {
    const refused = await hctl('webhooks delete shopp --yes --json')
    expect(refused.code).toBe(0)
    await createWebhook('Shopping list')
    await createWebhook('Shopping cart')
    const ambiguous = await hctl('webhooks delete shopp --yes')
    expect(ambiguous.code).toBe(2)
    expect(ambiguous.stderr).toMatch(
      /"shopp" is the beginning or the name of more than one webhook/,
    )
    expect(ambiguous.stderr).toContain('  Shopping list')
    expect(ambiguous.stderr).toContain('  Shopping cart')
    expect(failureOf(await hctl('webhooks show shopp --json'))).toEqual({
      exit: 2,
      code: 'ambiguous',
    })
  })

  test('exits with 1 if nothing fits', async () => {
    expect(failureOf(await hctl('webhooks ping nobody --json'))).toEqual({
      exit: 1,
      code: 'not_found',
    })
  })
})

describe('a key', () => {
  test('is found by its name and by the beginning of its id', async () => {
    const id = await createKey('deploy-shop')
    expect(documentOf(await hctl('keys show Deploy-Shop --json')).key.id).toBe(id)
    expect(documentOf(await hctl(`keys show ${id.slice(0, 6)} --json`)).key.id).toBe(id)
    expect(documentOf(await hctl(['audit', '--key', 'deploy-shop', '--json'])).items).toHaveLength(
      1,
    )
  })
})

describe('a delivery', () => {
  test('is found by the beginning of its id, of at least 8 characters', async () => {
    const { delivery } = documentOf(await hctl(`webhooks ping ${shop} --json`))
    const { id } = delivery as { id: string }
    expect(documentOf(await hctl(`deliveries show ${id.slice(0, 30)} --json`)).delivery.id).toBe(id)
    const short = await hctl(`deliveries show ${id.slice(0, 7)}`)
    expect(short.code).toBe(2)
    expect(short.stderr).toContain('the first 8')
  })
})

describe('hctl deliveries redeliver', () => {
  test('takes several ids', async () => {
    const ids: string[] = []
    for (const webhook of [billing, shop]) {
      ids.push(documentOf(await hctl(`webhooks ping ${webhook} --json`)).delivery.id)
    }
    const { items } = documentOf(await hctl(`deliveries redeliver ${ids.join(' ')} --json`))
    expect(items.map((each: { redelivery_of: string }) => each.redelivery_of)).toEqual(ids)
    expect((await hctl('deliveries redeliver')).code).toBe(2)
  })
})

describe('a dangerous command', () => {
  test.each([
    ['keys revoke', 'zzz'],
    ['keys revoke', 'zzzzzzzzzzz2'],
    ['webhooks delete', 'zzz'],
    ['webhooks delete', '00000000-0000-7000-8000-000000000000'],
  ])('%s %s says that nothing has this id before it asks', async (command, id) => {
    expect(failureOf(await hctl(`${command} ${id} --json`))).toEqual({ exit: 1, code: 'not_found' })
  })
})

describe('fittingRecords', () => {
  const record = (id: string, name: string) => ({ id, name, names: [name] })

  test('prefers a whole id to a name, and needs 4 characters of the beginning of an id, 1 of a name', () => {
    const one = record('abcdefghijkl', 'other')
    const other = record('mnopqrstuvwx', 'abcdefghijkl')
    expect(fittingRecords([one, other], 'abcdefghijkl')).toEqual([one])
    expect(fittingRecords([one, other], 'abc')).toEqual([other])
    expect(fittingRecords([one, other], 'abcd')).toEqual([one, other])
  })
})
