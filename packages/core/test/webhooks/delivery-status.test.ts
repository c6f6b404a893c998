import { expect, test } from '@jest/globals'
import { deliveryStatuses } from '../../src/webhooks/delivery-status.ts'

test('the states of a delivery are those of the specification', () => {
  expect(deliveryStatuses).toEqual([
    'queued',
    'in_flight',
    'waiting_retry',
    'waiting_endpoint',
    'succeeded',
    'dead',
  ])
})
