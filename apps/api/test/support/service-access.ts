import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import type { TestApi } from '../../../../test/support/api.ts'
import { serviceToken } from '../../../../test/support/environment.ts'
import { refusalOf } from './refusals.ts'

/** A request to the internal listener, `path` under `/internal/v1`. */
export interface ServiceRequest {
  readonly verb: 'get' | 'post' | 'put' | 'delete'
  readonly path: string
  readonly body?: object
}

/** The tests of a route that only the platform's own services may call. */
export function testServiceAccess(api: TestApi, { verb, path, body }: ServiceRequest): void {
  const send = (headers: Record<string, string>) => {
    const agent = request(api.internalUrl)
    return agent[verb](`/internal/v1${path}`).set(headers).send(body)
  }

  describe('the service token', () => {
    test.each([
      ['without one', {}],
      ['for an empty one', { authorization: 'Bearer ' }],
      ['for an empty header', { authorization: '' }],
    ])('401 authentication_required %s', async (_what, headers) => {
      const response = await send(headers)
      expect(refusalOf(response)).toEqual({ status: 401, code: 'authentication_required' })
      expect(response.headers['www-authenticate']).toBe('Bearer')
    })

    test.each([
      ['a wrong one', 'Bearer wrong'],
      ['another scheme', `Basic ${serviceToken}`],
      ['no scheme', serviceToken],
      ['more than one', `Bearer ${serviceToken} ${serviceToken}`],
      ['the right one and more', `Bearer ${serviceToken}x`],
      ['the right one in capitals', `Bearer ${serviceToken.toUpperCase()}`],
    ])('401 invalid_service_token for %s', async (_what, authorization) => {
      const response = await send({ authorization })
      expect(refusalOf(response)).toEqual({ status: 401, code: 'invalid_service_token' })
      expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    })

    test('401 invalid_service_token for an API key', async () => {
      const { token } = await (await api.makeTenant()).makeKey()
      const response = await send({ authorization: `Bearer ${token}` })
      expect(refusalOf(response)).toEqual({ status: 401, code: 'invalid_service_token' })
    })

    test('the public port returns 404 for the path', async () => {
      const agent = request(api.url)
      const response = await agent[verb](`/internal/v1${path}`)
        .set('Authorization', `Bearer ${serviceToken}`)
        .send(body)
      expect(refusalOf(response)).toEqual({ status: 404, code: 'not_found' })
    })
  })
}
