import type { ErrorClass } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { classifyError } from '../../src/delivery/classify-error.ts'
import { ConnectionError } from '@hosting/process'

const withCode = (code: string, cause?: unknown): Error =>
  Object.assign(new Error(code, { cause }), { code })

describe('the code of an error', () => {
  test.each<[string, ErrorClass]>([
    ['ECONNREFUSED', 'connection_refused'],
    ['EHOSTUNREACH', 'connection_refused'],
    ['ENETUNREACH', 'connection_refused'],
    ['EHOSTDOWN', 'connection_refused'],
    ['EADDRNOTAVAIL', 'connection_refused'],
    ['ETIMEDOUT', 'connect_timeout'],
    ['ENOTFOUND', 'dns_error'],
    ['EAI_AGAIN', 'dns_error'],
    ['EAI_FAIL', 'dns_error'],
    ['EAI_NODATA', 'dns_error'],
    ['ECONNRESET', 'connection_reset'],
    ['ECONNABORTED', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['ERR_STREAM_PREMATURE_CLOSE', 'connection_reset'],
    ['HPE_INVALID_CONSTANT', 'protocol_error'],
    ['HPE_INVALID_STATUS', 'protocol_error'],
    ['HPE_INVALID_HEADER_TOKEN', 'protocol_error'],
    ['HPE_HEADER_OVERFLOW', 'protocol_error'],
    ['HPE_LF_EXPECTED', 'protocol_error'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_error'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_error'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_error'],
    ['UNABLE_TO_GET_ISSUER_CERT', 'tls_error'],
    ['CERT_HAS_EXPIRED', 'tls_error'],
    ['CERT_NOT_YET_VALID', 'tls_error'],
    ['CERT_REVOKED', 'tls_error'],
    ['CERT_UNTRUSTED', 'tls_error'],
    ['CERT_SIGNATURE_FAILURE', 'tls_error'],
    ['CRL_HAS_EXPIRED', 'tls_error'],
    ['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'tls_error'],
    ['ERROR_IN_CERT_NOT_AFTER_FIELD', 'tls_error'],
    ['ERROR_IN_CRL_LAST_UPDATE_FIELD', 'tls_error'],
    ['ERROR_IN_CRL_NEXT_UPDATE_FIELD', 'tls_error'],
    ['PATH_LENGTH_EXCEEDED', 'tls_error'],
    ['UNSPECIFIED', 'tls_error'],
    ['INVALID_CA', 'tls_error'],
    ['INVALID_PURPOSE', 'tls_error'],
    ['HOSTNAME_MISMATCH', 'tls_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error'],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', 'tls_error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error'],
    ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'tls_error'],
    ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'tls_error'],
    ['EPROTO', 'tls_error'],
    ['EMFILE', 'internal_error'],
    ['OUT_OF_MEM', 'internal_error'],
    ['ERR_INVALID_ARG_TYPE', 'internal_error'],
    ['MY_ECONNREFUSED', 'internal_error'],
    ['', 'internal_error'],
  ])('%s means %s', (code, errorClass) => {
    expect(classifyError(withCode(code))).toBe(errorClass)
    expect(classifyError(withCode('ERR_GOT_REQUEST_ERROR', withCode(code)))).toBe(errorClass)
  })
})

describe('a chain of errors', () => {
  test('is classified by the innermost known code', () => {
    const inner = withCode('ECONNREFUSED')
    expect(classifyError(withCode('ECONNRESET', withCode('ERR_OTHER', inner)))).toBe(
      'connection_refused',
    )
    expect(classifyError(withCode('ECONNRESET', withCode('ERR_OTHER', new Error('no code'))))).toBe(
      'connection_reset',
    )
  })

  test('has the class of the ConnectionError that it contains', () => {
    const refusal = new ConnectionError('address_not_public', 'refused')
    expect(classifyError(refusal)).toBe('address_not_public')
    expect(classifyError(withCode('ECONNRESET', withCode('EPIPE', refusal)))).toBe(
      'address_not_public',
    )
  })

  test('may be circular', () => {
    const one = withCode('ERR_ONE')
    one.cause = withCode('ERR_OTHER', one)
    expect(classifyError(one)).toBe('internal_error')
  })
})

test('an AggregateError of refused connections is connection_refused', () => {
  const refusals = [withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]
  const all = Object.assign(new AggregateError(refusals), { code: 'ECONNREFUSED' })
  expect(classifyError(all)).toBe('connection_refused')
})

test.each([undefined, null, 'ECONNREFUSED', 7, {}, { code: 'ECONNREFUSED' }])(
  'a thrown value that is not an error is internal_error: %j',
  (thrown) => expect(classifyError(thrown)).toBe('internal_error'),
)

test('a code that is not a string is internal_error', () => {
  expect(classifyError(Object.assign(new Error('x'), { code: 7 }))).toBe('internal_error')
})
