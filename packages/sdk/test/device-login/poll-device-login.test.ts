import { pollDeviceLogin } from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import { errorOf, hangUp, html, json, problem, useServer } from '../support/server.ts'

const server = useServer()

describe('pollDeviceLogin', () => {
  const code = { device_code: 'dc_1', interval: 5, expires_in: 600 }
  const login = { token: 'hctl_new', key: { id: 'k' }, tenant: {}, user: {} }

  test('polls through failures until the login is approved, and announces each wait', async () => {
    server.responders = [
      problem(400, 'authorization_pending'),
      html,
      hangUp,
      problem(400, 'slow_down'),
      json(200, login),
    ]
    const slept: number[] = []
    const waits: number[] = []
    const result = await pollDeviceLogin(server.client(), code, {
      sleep: (ms) => {
        slept.push(Math.round(ms))
        return Promise.resolve()
      },
      onWait: ({ waitMs }) => waits.push(Math.round(waitMs)),
    })
    expect(result.token).toBe('hctl_new')
    expect(slept).toEqual([5_500, 5_000, 10_000, 20_000, 10_000])
    expect(waits).toEqual(slept)
    expect(server.requests.map((each) => JSON.parse(each.body) as unknown)).toEqual(
      Array.from({ length: 5 }, () => ({ device_code: 'dc_1' })),
    )
  })

  test.each([
    ['access_denied', { name: 'DeviceLoginError', reason: 'refused' }],
    ['expired_token', { name: 'DeviceLoginError', reason: 'expired' }],
    ['validation_failed', { name: 'ApiProblem', code: 'validation_failed' }],
  ])('rejects after %s', async (given, expected) => {
    server.responders = [problem(400, given)]
    const sleep = () => Promise.resolve()
    expect(await errorOf(pollDeviceLogin(server.client(), code, { sleep }))).toMatchObject(expected)
  })

  test('rejects with the reason of its signal, even during a wait', async () => {
    const stopping = new AbortController()
    const polling = pollDeviceLogin(server.client(), code, { signal: stopping.signal })
    stopping.abort(new Error('interrupted'))
    await expect(polling).rejects.toThrow('interrupted')
  })
})
