import { describe, expect, test } from '@jest/globals'
import { testConfig } from '../../../../test/support/environment.ts'
import type { ClaimedMail, MailedNotice } from '@hosting/postgres/notices'
import { composeMail, mailFrameOf } from '../../src/mail/compose-mail.ts'

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

describe('the subject and the links of a mail', () => {
  const frame = mailFrameOf(testConfig({ ...settings, PUBLIC_URL: 'https://panel.example.test' }))!
  const noticeOf = (
    type: MailedNotice['type'],
    id: string,
    details: MailedNotice['details'],
  ): MailedNotice => ({
    type,
    subject: { type: type.startsWith('webhook') ? 'webhook' : 'api_key', id, name: id },
    details,
    noticeId: id,
    createdAt: new Date('2026-11-22T10:00:00Z'),
  })
  const mailOf = (
    notices: ClaimedMail['notices'],
    answers: Pick<ClaimedMail, 'answers'> = {},
  ): ClaimedMail => ({
    leaseId: 'l',
    userId: 'u',
    digestId: 'd',
    notices,
    email: 'ana@example.test',
    tenantName: 'Acme',
    ...answers,
  })
  const compose = async (...notices: [MailedNotice, ...MailedNotice[]]) => {
    const { message } = await composeMail(mailOf(notices), frame)
    const source = message
      .toString()
      .replaceAll('=\r\n', '')
      .replaceAll('=3D', '=')
      .replaceAll('=E2=80=9C', '“')
      .replaceAll('=E2=80=9D', '”')
    return {
      // The header may be encoded; the HTML has the same text.
      subject: /<title>(.*)<\/title>/.exec(source)?.[1],
      button: /display:inline-block[^"]*" href="([^"]*)"/.exec(source)?.[1],
      source,
    }
  }
  const details = { opened_at: '2026-11-22T09:00:00.000Z', status_code: 500 }
  const failing = noticeOf('webhook.failing', 'CRM', { ...details, error_class: 'http_error' })
  const recovered = noticeOf('webhook.recovered', 'CRM', details)
  const created = noticeOf('api_key.created', 'ci', {})
  const endpoint = 'https://panel.example.test/webhooks/CRM'

  test('say what happened, and lead to it', async () => {
    expect(await compose(failing)).toMatchObject({
      subject: 'CRM is failing: HTTP 500',
      button: endpoint,
    })
    const both = await compose(failing, created)
    expect(both).toMatchObject({
      subject: 'CRM is failing: HTTP 500 (and 1 more)',
      button: 'https://panel.example.test/notices',
    })
    expect(both.source).toMatch(/\nhttps:\/\/panel\.example\.test\/webhooks\/CRM\r?\n/)
    expect(both.source).toMatch(/\nhttps:\/\/panel\.example\.test\/keys\/ci\r?\n/)
  })

  test('a failure and its recovery are one, and those of another incident are not', async () => {
    const title = 'Endpoint “CRM” has recovered'
    for (const mail of [await compose(failing, recovered), await compose(recovered, failing)]) {
      expect(mail).toMatchObject({ subject: title, button: endpoint })
      expect(mail.source).not.toContain('is failing')
    }
    const later = { ...failing, details: { ...details, opened_at: '2026-11-22T09:30:00.000Z' } }
    expect(await compose(later, recovered)).toMatchObject({
      subject: 'CRM is failing: HTTP 500 (and 1 more)',
      button: endpoint,
    })
  })
  test('a recovery answers the email that told the failure', async () => {
    const { message } = await composeMail(
      mailOf([recovered], { answers: { ...failing, digestId: 'f' } }),
      frame,
    )
    const header = message.toString().split('\r\n\r\n')[0]!
    expect(header).toContain('\r\nSubject: Re: CRM is failing: HTTP 500\r\n')
    expect(header).toContain('\r\nIn-Reply-To: <f@example.test>\r\n')
    expect(header).toContain('\r\nReferences: <f@example.test>\r\n')
    expect(message.toString()).toContain('has recovered')
  })
})
