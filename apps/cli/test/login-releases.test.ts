import { expect, test } from '@jest/globals'
import { useApi } from '../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../test/support/session.ts'
import { failureOf, linesOf, makeMachine, type Machine } from './support/hctl.ts'

const api = useApi({ PUBLIC_URL: 'http://hosting.example' })

/** Which requests to the OAuth endpoints reach a process without them. The service then responds as to any unknown path. */
type Older = (request: number) => boolean

const releases: readonly (readonly [name: string, older: Older])[] = [
  ['this release', () => false],
  ['a release without OAuth endpoints', () => true],
  ['both, of which the older one gets every other request', (request) => request % 2 === 1],
  ['both, of which the newer one gets every other request', (request) => request % 2 === 0],
]

/** A machine and a person, who decides about each device login while `hctl` waits for it. */
async function makeUser(older: Older, action: 'approve' | 'refuse') {
  const machine = await makeMachine({ HCTL_URL: api.url })
  const call = callWith(api, await makeSignedIn(api, await api.makeTenant()))
  const paths: string[] = []
  let requests = 0
  const send: typeof fetch = (input, init) => {
    const url = (input as string).replace('/oauth/', () =>
      older(requests++) ? '/older/' : '/oauth/',
    )
    paths.push(new URL(url).pathname)
    return fetch(url, init)
  }
  let printed = ''
  const decide = async (): Promise<void> => {
    const [, code] = /"user_code":"([A-Z-]+)"/.exec(printed) ?? []
    if (code === undefined) return
    printed = ''
    const body = action === 'approve' ? { access: 'full' } : {}
    await call('post', `/auth/device/requests/${code}/${action}`, { body })
  }
  const onText = (text: string): void => void (printed += text)
  const hctl: Machine['hctl'] = (line, situation) =>
    machine.hctl(line, { fetch: send, hurry: true, onText, whileWaiting: decide, ...situation })
  return { hctl, keychain: machine.keychain, paths }
}

test.each(releases)('hctl signs in and out at %s', async (_releases, older) => {
  const { hctl, keychain } = await makeUser(older, 'approve')
  const { code, stderr, stdout } = await hctl('login --json --name laptop')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(linesOf({ code, stderr, stdout }).at(-1)).toMatchObject({
    status: 'authenticated',
    key: { name: 'CLI: laptop', source: 'device', scopes: ['*'] },
  })
  const [token] = [...keychain.values()]
  expect((await api.call('get', '/auth/me', { token: token! })).status).toBe(200)
  expect(JSON.parse((await hctl('logout --json')).stdout).items).toMatchObject([{ revoked: true }])
  expect((await api.call('get', '/auth/me', { token: token! })).status).toBe(401)
})

test('hctl signs in and out at the OAuth endpoints', async () => {
  const { hctl, paths } = await makeUser(() => false, 'approve')
  await hctl('login --json --name laptop')
  await hctl('logout')
  expect(paths).toEqual(['/oauth/device_authorization', '/oauth/token', '/oauth/revoke'])
})

test.each(releases)(
  'hctl says that a login was denied in the same words at %s',
  async (_releases, older) => {
    const { hctl, keychain } = await makeUser(older, 'refuse')
    const result = await hctl('login --json --name laptop')
    expect(failureOf(result)).toEqual({ exit: 3, code: 'access_denied' })
    expect(result.stderr).toContain('The device login was denied. No key was created.')
    expect(keychain.size).toBe(0)
  },
)

test('hctl names the option of a name that the service refuses', async () => {
  const { hctl } = await makeUser(() => false, 'approve')
  const { code, stderr } = await hctl(['login', '--json', '--name', 'x'.repeat(65)])
  expect(code).toBe(1)
  expect(JSON.parse(stderr).error).toMatchObject({
    message: 'One or more values are invalid.',
    errors: [
      {
        pointer: '/client_id',
        message: 'must have 1 to 64 characters, not counting spaces at its ends',
        option: '--name',
      },
    ],
  })
})
