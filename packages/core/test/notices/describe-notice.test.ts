import { expect, test } from '@jest/globals'
import { describeNotice, type NoticeFacts } from '../../src/notices/describe-notice.ts'

const webhook = { type: 'webhook', id: 'w', name: 'Pager' } as const
const key = { type: 'api_key', id: 'abcdefghijkl', name: 'ci' } as const
const session = { type: 'session', id: 's', name: 'Firefox on Linux' } as const
const opened_at = '2026-11-22T10:00:30.000Z'

const cases: readonly (readonly [NoticeFacts, string, RegExp, string])[] = [
  [
    {
      type: 'webhook.failing',
      subject: webhook,
      details: { opened_at, failed_attempts: 5, status_code: 503, error_class: 'http_error' },
    },
    'Endpoint "Pager" is failing',
    /^5 attempts in a row have failed since 2026-11-22 10:00 UTC\. Last failure: HTTP 503\./,
    '/webhooks/w',
  ],
  [
    {
      type: 'webhook.failing',
      subject: webhook,
      details: { opened_at, failed_attempts: 5, status_code: null, error_class: 'dns_error' },
    },
    'Endpoint "Pager" is failing',
    /Last failure: DNS error\./,
    '/webhooks/w',
  ],
  [
    {
      type: 'webhook.recovered',
      subject: webhook,
      details: { opened_at, closed_at: '2026-11-22T11:00:00.000Z', failed_attempts: 9 },
    },
    'Endpoint "Pager" has recovered',
    /at 2026-11-22 11:00 UTC\. It had been failing since 2026-11-22 10:00 UTC, with 9 failed attempts\.$/,
    '/webhooks/w',
  ],
  [
    { type: 'webhook.disabled', subject: webhook, details: { hours: 24 } },
    'Endpoint "Pager" was disabled',
    /^It failed for 24 hours .* Its deliveries are waiting\./,
    '/webhooks/w',
  ],
  [
    {
      type: 'api_key.expiring',
      subject: key,
      details: { kind: 'personal', days: 7, expires_at: '2026-11-29T10:00:00.000Z' },
    },
    'API key "ci" expires within 7 days',
    /^The personal key abcdefghijkl expires at 2026-11-29 10:00 UTC /,
    '/keys/abcdefghijkl',
  ],
  [
    {
      type: 'api_key.expiring',
      subject: key,
      details: { kind: 'organization', days: 1, expires_at: '2026-11-23T10:00:00.000Z' },
    },
    'API key "ci" expires within a day',
    /^The organization key /,
    '/keys/abcdefghijkl',
  ],
  [
    {
      type: 'api_key.created',
      subject: key,
      details: { kind: 'personal', source: 'device', created_by: 'Ana' },
    },
    'API key "ci" was created',
    /^Ana created the personal key abcdefghijkl by a device login\./,
    '/keys/abcdefghijkl',
  ],
  [
    {
      type: 'sign_in.new_device',
      subject: session,
      details: { ip: '192.0.2.1', signed_in_at: opened_at },
    },
    'New device signed in to your account',
    /at 2026-11-22 10:00 UTC: Firefox on Linux, IP address 192\.0\.2\.1\./,
    '/security',
  ],
]

test.each(cases)('%j has a title, a text and a page', (notice, title, text, path) => {
  expect(describeNotice(notice)).toEqual({ title, text: expect.stringMatching(text), path })
})
