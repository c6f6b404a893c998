import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { useApi } from '../../../../test/support/api.ts'

const token = 'ops-token-of-tests'

describe("the operators' pages of the API", () => {
  const api = useApi({ OPS_TOKEN: token })
  const get = (path: string, password = token) =>
    request(api.internalUrl).get(path).auth('anybody', password)

  test('show the installation while no worker runs', async () => {
    const { status, text } = await get('/operations')
    expect(status).toBe(200)
    expect(text).toContain('As seen by API process')
    expect(text).toContain('aria-label="Processes"')
    expect(text).toContain('aria-label="This API process"')
    expect(text).not.toContain('could not be read')
    expect((await get('/operations/runbook')).status).toBe(200)
  })

  test('have no queues, which only workers serve, and leave the documentation open', async () => {
    expect((await get('/operations')).text).not.toContain('href="/queues"')
    expect((await get('/queues')).status).toBe(404)
    expect((await request(api.internalUrl).get('/docs/operations')).status).toBe(200)
  })

  test('401 without the token, 405 for changes', async () => {
    for (const path of ['/operations', '/operations/runbook', '/operations/nothing']) {
      expect((await get(path, 'wrong')).status).toBe(401)
      expect((await request(api.internalUrl).get(path)).status).toBe(401)
      const change = request(api.internalUrl).post(path).auth('anybody', token)
      expect((await change).status).toBe(405)
    }
  })
})

describe('without OPS_TOKEN', () => {
  const api = useApi()

  test("the operators' pages do not exist", async () => {
    const response = await request(api.internalUrl).get('/operations').auth('anybody', '')
    expect(response.status).toBe(404)
  })
})
