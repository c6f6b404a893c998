import { createUuidv7 } from '@hosting/core/ids'
import { expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

test('the first steps tick as they are done, and disappear when all are but the optional one', async () => {
  const ana = await makeSignedIn(api, await api.makeTenant())
  const call = callWith(api, ana)
  const visitor = visitorOf(api, ana)
  const read = async () => {
    const { text } = await visitor.get('/')
    const [card] = /<ul class="steps">.*?<\/ul>/s.exec(text) ?? ['']
    const done = [...card.matchAll(/>([^<]*)<\/a><span class="visually-hidden">, done/g)]
    return { card, done: done.map(([, title]) => title) }
  }
  expect(await read()).toMatchObject({ card: expect.stringContaining('<li'), done: [] })
  await call('post', '/api-keys', { body: { name: 'Deploy', scopes: ['sites:read'] } })
  expect((await read()).done).toEqual(['Create an API key'])
  const body = { url: 'https://example.com/hook', events: ['*'], description: 'Pager' }
  const { id } = (await call('post', '/webhooks', { body })).body.webhook
  const waiting = await read()
  expect(waiting.done).toEqual(['Create an API key', 'Add a webhook endpoint'])
  expect(waiting.card).toContain('Waiting for the first event of <bdi>Pager</bdi>')
  const { prisma } = api.database
  await prisma.webhookEndpointSchedule.upsert({
    where: { endpointId: id },
    create: { endpointId: id, lastSuccessAt: new Date() },
    update: { lastSuccessAt: new Date() },
  })
  expect((await read()).done).toContain('Receive your first event')
  await prisma.passkey.create({
    data: {
      id: createUuidv7(),
      userId: ana.userId,
      name: 'Laptop',
      credentialId: Buffer.from('credential'),
      publicKey: Buffer.from('key'),
      signCount: 0,
      isBackedUp: false,
    },
  })
  expect(await read()).toEqual({ card: '', done: [] })
})
