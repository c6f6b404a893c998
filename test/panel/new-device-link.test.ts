import { expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { makePerson } from '../support/session.ts'
import { visitorOf, type Visitor } from './visitor.ts'

const api = useApi()

test('a sign-in by link with a new browser causes a notice, even for a person without a password', async () => {
  const { id } = await makePerson(api, await api.makeTenant())
  const signIn = async (visitor: Visitor): Promise<void> => {
    const { body } = await api.callInternal('post', `/users/${id}/sign-in-links`, {})
    const path = new URL(body.url as string).pathname
    const { text } = await visitor.get(path)
    // Only the page of a person who is signed in has a token.
    const csrfToken = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const { status } = await visitor.post(path, { csrf_token: csrfToken })
    expect(status).toBe(303)
  }
  const countNotices = () =>
    api.database.prisma.notice.count({ where: { userId: id, type: 'sign_in.new_device' } })
  const [first, second] = [visitorOf(api), visitorOf(api)]
  await signIn(first)
  expect(await countNotices()).toBe(0)
  await signIn(second)
  expect(await countNotices()).toBe(1)
  await signIn(first)
  await signIn(second)
  expect(await countNotices()).toBe(1)
})
