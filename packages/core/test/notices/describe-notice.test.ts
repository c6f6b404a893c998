import { expect, test } from '@jest/globals'
import {
  describeNotice,
  noticeAction,
  type NoticeFacts,
} from '../../src/notices/describe-notice.ts'

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
    'Endpoint “Pager” is failing',
    /^5 attempts in a row have failed since 2026-11-22 10:00 UTC\. Last failure: HTTP 503\. .* What to do: Check the logs\. Failed deliveries are retried\.$/,
    '/webhooks/w',
  ],
  [
    {
      type: 'webhook.failing',
      subject: webhook,
      details: { opened_at, failed_attempts: 5, status_code: null, error_class: 'dns_error' },
    },
    'Endpoint “Pager” is failing',
    /Last failure: DNS error\. The host name does not resolve.* What to do: Check the host name/,
    '/webhooks/w',
  ],
  [
    {
      type: 'webhook.recovered',
      subject: webhook,
      details: { opened_at, closed_at: '2026-11-22T11:00:00.000Z', failed_attempts: 9 },
    },
    'Endpoint “Pager” has recovered',
    /at 2026-11-22 11:00 UTC\. It had been failing since 2026-11-22 10:00 UTC, with 9 failed attempts\.$/,
    '/webhooks/w',
  ],
  [
    {
      type: 'webhook.disabled',
      subject: webhook,
      details: { hours: 24, status_code: 503, error_class: 'http_error' },
    },
    'Endpoint “Pager” was disabled',
    /^It failed for 24 hours .* Last failure: HTTP 503\. .* What to do: Check the logs\. Fix the receiver, then enable/,
    '/webhooks/w',
  ],
  [
    {
      type: 'api_key.created',
      subject: key,
      details: { kind: 'organization', source: 'workload', created_by: 'Ana' },
    },
    'API key “ci” was created',
    /^Ana created the organization key abcdefghijkl as a workload key\. If you do not recognize it, revoke it\.$/,
    '/keys/abcdefghijkl',
  ],
  [
    {
      type: 'api_key.new_subject',
      subject: key,
      details: {
        issuer: 'https://issuer.example',
        subject: 'repo:acme/site:ref:refs/heads/main',
        ip: '203.0.113.7',
      },
    },
    'API key “ci” was used by a new workload',
    /^repo:acme\/site:ref:refs\/heads\/main of https:\/\/issuer\.example exchanged an identity token for a token of the key abcdefghijkl for the first time, from IP address 203\.0\.113\.7\. /,
    '/keys/abcdefghijkl',
  ],
  [
    { type: 'webhook.disabled', subject: webhook, details: { hours: 24 } },
    'Endpoint “Pager” was disabled',
    /^It failed for 24 hours .* Its deliveries are waiting\./,
    '/webhooks/w',
  ],
  [
    {
      type: 'api_key.expiring',
      subject: key,
      details: { kind: 'personal', days: 7, expires_at: '2026-11-29T10:00:00.000Z' },
    },
    'API key “ci” expires within 7 days',
    /^The personal key abcdefghijkl expires at 2026-11-29 10:00 UTC /,
    '/keys/abcdefghijkl',
  ],
  [
    {
      type: 'api_key.expiring',
      subject: key,
      details: { kind: 'organization', days: 1, expires_at: '2026-11-23T10:00:00.000Z' },
    },
    'API key “ci” expires within a day',
    /^The organization key /,
    '/keys/abcdefghijkl',
  ],
  [
    {
      type: 'api_key.created',
      subject: key,
      details: { kind: 'personal', source: 'device', created_by: 'Ana' },
    },
    'API key “ci” was created',
    /^Ana created the personal key abcdefghijkl by a device login\./,
    '/keys/abcdefghijkl',
  ],
  [
    {
      type: 'security.changed',
      subject: session,
      details: { change: 'password_changed', ip: '192.0.2.1', changed_at: opened_at, by: null },
    },
    'Your password was changed',
    /^This happened at 2026-11-22 10:00 UTC: Firefox on Linux, IP address 192\.0\.2\.1\. If it was not you/,
    '/security',
  ],
  [
    {
      type: 'security.changed',
      subject: session,
      details: { change: 'impersonated', ip: '192.0.2.1', changed_at: opened_at, by: 'Ada' },
    },
    'An administrator started to act as you',
    /^Ada started at 2026-11-22 10:00 UTC: Firefox on Linux, IP address 192\.0\.2\.1\. The audit log /,
    '/security',
  ],
  [
    {
      type: 'security.changed',
      subject: session,
      details: {
        change: 'passkey_copied',
        ip: '192.0.2.1',
        changed_at: opened_at,
        passkey: 'Laptop',
      },
    },
    'A copy of one of your passkeys was refused',
    /^Someone tried to use the passkey “Laptop” at 2026-11-22 10:00 UTC: Firefox on Linux, IP address 192\.0\.2\.1\. .* Remove this passkey/,
    '/security',
  ],
  [
    {
      type: 'second_factor.required',
      subject: { type: 'tenant', id: 't', name: 'Acme' },
      details: { days: 7, from: '2026-11-29T10:00:00.000Z' },
    },
    'Acme requires a second factor within 7 days',
    /^From 2026-11-29 10:00 UTC on, you can use the panel only with a second factor, and you have none/,
    '/security',
  ],
  [
    {
      type: 'second_factor.required',
      subject: { type: 'tenant', id: 't', name: 'Acme' },
      details: { days: 1, from: '2026-11-23T10:00:00.000Z' },
    },
    'Acme requires a second factor within a day',
    /Set one up under Security before that/,
    '/security',
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

test('each notice has an action', () => {
  expect(cases.map(([notice]) => noticeAction(notice))).toEqual(
    cases.map(() => expect.stringMatching(/^(View|Review|Set up) /)),
  )
})

test('names and claims of others add no lines and reorder nothing', () => {
  const { title, text } = describeNotice({
    type: 'api_key.new_subject',
    subject: { ...key, name: 'ci\u202E' },
    details: {
      subject: 'repo:acme\r\nIf you do not recognize it,\u2028call us',
      issuer: 'https://ci.example',
      ip: '203.0.113.7',
    },
  })
  expect(title).toBe('API key “ci ” was used by a new workload')
  expect(text).toMatch(
    /^repo:acme If you do not recognize it, call us of https:\/\/ci\.example exchanged/,
  )
})
