import { describe, expect, test } from '@jest/globals'
import { endpointAddress, endpointName, healthLabelOf } from '@hosting/core/webhooks'

describe('the name of an endpoint', () => {
  test('is its description, in one line', () => {
    const url = 'https://hooks.example.com/billing'
    expect(endpointName({ url, description: ' Billing\n connector ' })).toBe('Billing connector')
  })

  test.each([
    ['https://hooks.example.com/billing', 'hooks.example.com/billing'],
    ['https://hooks.example.com:8443/', 'hooks.example.com:8443'],
    ['http://127.0.0.1:39101/a/b/', '127.0.0.1:39101/a/b'],
    ['https://user:word@hooks.example.com/a?token=secret#part', 'hooks.example.com/a'],
    ['https://[2001:db8::1]:8443/a', '[2001:db8::1]:8443/a'],
    ['https://hooks.example.com/@team/a@b', 'hooks.example.com/@team/a@b'],
  ])('is else the address without scheme, user name and query: %s', (url, name) => {
    expect(endpointName({ url, description: null })).toBe(name)
    expect(endpointName({ url, description: ' ' })).toBe(name)
    expect(endpointAddress(url)).toBe(name)
  })

  test('says that the endpoint is deleted if its URL is not known', () => {
    expect(endpointName({ url: '', description: null })).toBe('Deleted endpoint')
  })
})

describe('the health of an endpoint', () => {
  test.each([
    ['healthy', 0.049, 'Healthy'],
    ['healthy', 0.05, 'Unstable'],
    ['unknown', null, 'No attempts yet'],
    ['unknown', 1, 'Unstable'],
    ['failing', 0.01, 'Failing'],
  ] as const)('of state %s with a failure rate of %p is %p', (state, failure_rate, label) => {
    expect(healthLabelOf({ enabled: true, health: { state, failure_rate } })).toBe(label)
    expect(healthLabelOf({ enabled: false, health: { state, failure_rate } })).toBe('Disabled')
  })
})
