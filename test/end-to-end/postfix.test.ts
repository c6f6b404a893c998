import { afterAll, beforeAll, expect } from '@jest/globals'
import { makeCertificates } from '../support/certificates.ts'
import { createKeysByKey } from '../support/key-notices.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { needing } from '../support/needing.ts'
import { readMetric } from '../support/observe.ts'
import { canStartPostfix, startPostfix, type Postfix } from '../support/postfix.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { until, useStack } from '../support/stack.ts'

const { test, describe } = needing('Postfix, for root,', canStartPostfix())

describe('a Postfix that offers STARTTLS with a self-signed certificate', () => {
  const stack = useStack()
  const gone = 'gone@example.test'
  let inbox: MailServer
  let postfix: Postfix

  beforeAll(async () => {
    inbox = await startMailServer()
    postfix = await startPostfix({
      certificates: await makeCertificates({ selfSigned: true, names: ['relay.test'] }),
      relaysTo: inbox.port,
      refuses: { [gone]: '550 5.1.1 gone@example.test has left' },
    })
  })
  afterAll(async () => {
    await postfix.close()
    await inbox.close()
  })

  /** An administrator with a notice that waits for its mail. */
  async function makeNotified(email?: string) {
    const tenant = await stack.api.makeTenant()
    const person = await makeSignedIn(stack.api, tenant, email === undefined ? {} : { email })
    await createKeysByKey(stack.api, callWith(stack.api, person), ['ci'])
    return person
  }

  test('gets mail over TLS, and its refusal of a recipient is told in words', async () => {
    const ana = await makeNotified()
    const opsToken = 'ops-token-of-this-test'
    const worker = await stack.startWorker({
      SMTP_URL: postfix.url,
      MAIL_FROM: 'notices@example.test',
      PUBLIC_URL: 'https://panel.example.test',
      OPS_TOKEN: opsToken,
    })
    const [mail] = await inbox.arrivalOf(1)
    expect(mail!.to).toEqual([ana.email])
    expect(mail!.source).toMatch(
      /^Received: from panel\.example\.test \([^)]*\)\s+\(using TLSv1\.3 [^]*?by relay\.test \(Postfix\) with ESMTPS/m,
    )

    await makeNotified(gone)
    const series = 'hosting_mail_failures_total{reason="recipient"}'
    await until(
      () => readMetric(worker, series),
      (count) => count === 1,
    )
    const words = 'the mail server refused the recipient (550 5.1.1)'
    const lines = worker.lines.filter((line) => line.includes('an email was not sent'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { result: 'refused', failure: 'recipient', reason: words },
    ])
    expect(lines.join('')).not.toContain(gone)
    const authorization = `Basic ${Buffer.from(`operator:${opsToken}`).toString('base64')}`
    const url = `http://127.0.0.1:${worker.internalPort}/operations`
    const page = await (await fetch(url, { headers: { authorization } })).text()
    expect(page).toContain(words)
    expect(await postfix.readLog()).toContain('NOQUEUE: reject: RCPT')
  })
})
