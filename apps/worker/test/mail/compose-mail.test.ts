import { describe, expect, test } from '@jest/globals'
import { testConfig } from '../../../../test/support/environment.ts'
import { mailFrameOf } from '../../src/mail/compose-mail.ts'

const settings = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'notices@example.test' }

describe('the sender of mails', () => {
  test.each([
    ['BRAND_NAME by default', {}, 'Hosting Control'],
    ['the configured BRAND_NAME', { BRAND_NAME: 'Acme Hosting' }, 'Acme Hosting'],
    [
      'the name in MAIL_FROM, if there is one',
      { BRAND_NAME: 'Acme Hosting', MAIL_FROM: 'Acme Support <notices@example.test>' },
      'Acme Support',
    ],
  ])('is %s', (_name, overrides, name) => {
    const frame = mailFrameOf(testConfig({ ...settings, ...overrides }))
    expect(frame?.from).toEqual({ name, address: 'notices@example.test' })
  })
})
