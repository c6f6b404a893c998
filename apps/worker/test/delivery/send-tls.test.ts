import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import tls from 'node:tls'
import { makeCertificates, type Certificates } from '../../../../test/support/certificates.ts'
import { deliveryTo, failure, shortMs, success, useSending } from './sending.ts'

const sending = useSending()
const name = 'hooks.example.test'
const httpsTo = (host: string, port: number) => deliveryTo(`https://${host}:${port}/`)

const trustedBefore = tls.getCACertificates('default')
let good: Certificates

beforeAll(async () => {
  good = await makeCertificates({ names: [name], addresses: ['127.0.0.1'] })
})
afterAll(() => tls.setDefaultCACertificates(trustedBefore))

const tlsFailure = (reason: string) => ({ ...failure('tls_error'), reason })

/** Adds a certificate authority to those that the process trusts. */
const trust = ({ ca }: Certificates) => tls.setDefaultCACertificates([...trustedBefore, ca])

describe('a certificate of a trusted CA', () => {
  beforeAll(() => trust(good))

  test('for the name in the URL is accepted', async () => {
    const receiver = await sending.receiver({ tls: good })
    const outcome = await sending.sender().send(httpsTo(name, receiver.port))
    expect(outcome).toEqual(success(204))
    expect((await receiver.next()).headers.host).toBe(`${name}:${receiver.port}`)
  })

  test('for the address in the URL is accepted', async () => {
    const receiver = await sending.receiver({ tls: good })
    expect(await sending.sender().send(httpsTo('127.0.0.1', receiver.port))).toEqual(success(204))
  })

  test.each(['other.example.test', 'example.test', 'a.hooks.example.test'])(
    'for a name other than %s is rejected, and nothing is sent',
    async (host) => {
      const receiver = await sending.receiver({ tls: good })
      const outcome = await sending.sender().send(httpsTo(host, receiver.port))
      expect(outcome).toEqual(tlsFailure('the certificate is for another host name'))
      expect(receiver.requests).toHaveLength(0)
    },
  )

  test('for only a name is rejected for its address', async () => {
    const named = await makeCertificates({ names: [name] })
    trust(named)
    const receiver = await sending.receiver({ tls: named })
    const outcome = await sending.sender().send(httpsTo('127.0.0.1', receiver.port))
    trust(good)
    expect(outcome).toEqual(tlsFailure('the certificate is for another host name'))
  })

  test('may be chosen by the receiver from the server name (SNI)', async () => {
    const other = await makeCertificates({ names: ['default.example.test'] })
    const asked: string[] = []
    const receiver = await sending.receiver({
      tls: {
        ...other,
        SNICallback(servername, done) {
          asked.push(servername)
          done(null, tls.createSecureContext(good))
        },
      },
    })
    expect(await sending.sender().send(httpsTo(name, receiver.port))).toEqual(success(204))
    expect(asked).toEqual([name])
  })

  test('that has expired is rejected', async () => {
    const expired = await makeCertificates({
      names: [name],
      notAfterDate: new Date(Date.now() - 60_000),
    })
    trust(expired)
    const receiver = await sending.receiver({ tls: expired })
    const outcome = await sending.sender().send(httpsTo(name, receiver.port))
    trust(good)
    expect(outcome).toEqual(tlsFailure('the certificate has expired'))
    expect(receiver.requests).toHaveLength(0)
  })

  test('allows the next delivery to reuse its connection', async () => {
    const receiver = await sending.receiver({ tls: good })
    const sender = sending.sender()
    for (let count = 0; count < 3; count++) {
      expect(await sender.send(httpsTo(name, receiver.port))).toEqual(success(204))
    }
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 1])
  })

  test('does not share its connection with another name on the same address', async () => {
    const receiver = await sending.receiver({ tls: good })
    const sender = sending.sender()
    await sender.send(httpsTo(name, receiver.port))
    const outcome = await sender.send(httpsTo('other.example.test', receiver.port))
    expect(outcome).toEqual(tlsFailure('the certificate is for another host name'))
  })

  test('does not hide a reset', async () => {
    const receiver = await sending.receiver({ tls: good, respond: () => 'reset' })
    const outcome = await sending.sender().send(httpsTo(name, receiver.port))
    expect(outcome).toEqual(failure('connection_reset'))
  })

  test('does not hide a timeout', async () => {
    const receiver = await sending.receiver({ tls: good, respond: () => 'hang' })
    const outcome = await sending.sender({ timeoutMs: shortMs }).send(httpsTo(name, receiver.port))
    expect(outcome).toEqual(failure('timeout'))
  })
})

describe('an untrusted certificate', () => {
  beforeAll(() => tls.setDefaultCACertificates(trustedBefore))

  test.each([
    ['of an unknown CA', false, 'the certificate is from an unknown authority'],
    ['that is self-signed', true, 'the certificate is self-signed'],
  ])('%s is rejected, and nothing is sent', async (_how, selfSigned, reason) => {
    const unknown = await makeCertificates({ names: [name], selfSigned })
    const receiver = await sending.receiver({ tls: unknown })
    const outcome = await sending.sender().send(httpsTo(name, receiver.port))
    expect(outcome).toEqual(tlsFailure(reason))
    expect(receiver.requests).toHaveLength(0)
  })
})

describe('a receiver without working TLS', () => {
  test('that speaks plain HTTP is tls_error', async () => {
    const receiver = await sending.receiver()
    const outcome = await sending.sender().send(httpsTo(name, receiver.port))
    expect(outcome).toEqual(tlsFailure('the TLS handshake failed'))
    expect(receiver.requests).toHaveLength(0)
  })

  test('that aborts the handshake is connection_reset', async () => {
    const receiver = await sending.rawReceiver((socket) => socket.once('data', () => socket.end()))
    const outcome = await sending.sender().send(httpsTo(name, receiver.port))
    expect(outcome).toEqual(failure('connection_reset'))
  })
})

test('plain HTTP to a TLS receiver fails', async () => {
  const receiver = await sending.receiver({ tls: good })
  const outcome = await sending.sender().send(deliveryTo(`http://127.0.0.1:${receiver.port}/`))
  expect(outcome.errorClass).not.toBeNull()
  expect(receiver.requests).toHaveLength(0)
})
