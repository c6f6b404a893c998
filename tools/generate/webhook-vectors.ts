import { signatureToleranceSeconds as tolerance } from '@hosting/core/webhooks'

/** A delivery and the expected result of verifying its signature. */
export interface WebhookVector {
  readonly name: string
  /** The receiver's secrets. */
  readonly secrets: readonly string[]
  /** The value of `Service-Signature`; empty for none. */
  readonly header: string
  /** The raw body, as UTF-8. */
  readonly body: string
  /** The receiver's clock, in Unix seconds. */
  readonly now: number
  /** Whether the signature is valid. Whether the body is an event does not matter. */
  readonly accepted: boolean
  /** The SDK's reason for a refusal; absent if the SDK treats the call itself as an error. */
  readonly reason?: string
}

const newSecret = 'whsec_ExampleSecretNewDoNotUseInProduction0000000'
const oldSecret = 'whsec_ExampleSecretOldDoNotUseInProduction0000000'
/** 32 bytes in standard base64, as the service creates secrets. */
const paddedSecret = 'whsec_ExampleSecretNewDoNotUseInProduction+0/0000='
const t = 1_795_176_000
const body =
  '{"id":"0190a3b0-7c1e-7d2a-9b7e-0a4f5c6d7e8f","type":"site.created","created_at":"2026-11-20T11:59:58.412Z",' +
  '"tenant_id":"5f0c6c2e-0b1d-4c3e-8a9f-1b2c3d4e5f60","data":{"object_type":"site","object_id":"s-1042",' +
  '"account_id":"a-17","primary_domain":"shop.example"}}'
const utf8Body = body.replace('shop.example', 'bücher-日本-🛒.example')

// Computed independently of our code, by Python's hmac and by openssl, with the same results:
// printf '%s' "$t.$body" | openssl dgst -sha256 -r -hmac "$secret"
const byNew = '6e93d833aec2d217ab1d9a8ed79ae51b2e4a849071cda7406ee690a1cd7e8815'
const byPadded = 'f0204f3e112a270c4529a6e9ea7315f4509569aad39ce7eca7e66e606b8615ab'
/** Signed with the bytes of the padded secret, as only Standard Webhooks does. */
const byDecoded = 'a39218c778f273ea35f78b54e1ab0690526f95d61c85c54c16b5cb1683bbb265'
const byOld = '2b092bac74e9fa059d55a1fa2a04c1c80d9c458b50a4e2a1b008ea026e47dbb8'
const byNewWithoutPrefix = '73fca420c75b8656027343de1bd456114957cd53b5906c3db92eede15cded707'
const byEmptySecret = '162416081001b054163a97683c08cb41b863f38cd2bfdcc8f78e08b9d33e3569'
const ofUtf8Body = 'ffa2e48521fd56328ed2920a5563a8675e166cf2618e0b08e1dc957cfa9645fe'
const ofEmptyBody = '66ad4e9148a9c52e5641ee1660cade1743d6945c775fd910b74f22a6a82a84bd'
/** Signed with the new secret too, but with this key as `t`: only its format is invalid. */
const ofTime = {
  '': 'd312f3da1d8988629134218bf4c4d66406273fe0739320c6422a983eba86e793',
  now: 'e7edd95378787e03107029a5e0b54693d7a735f8d7ad7a870d82b225d88c79ca',
  '+1795176000': '30725150bdf7010bdc69402707c94e669054c75e5a88e4526ffb0a98025b5386',
  '1795176000.0': '8437b6df222f82f7d161edae7182357458b14fb44ec660064840ab851dc6e966',
  '١٧٩٥١٧٦٠٠٠': 'bd25fc13f7da16d2a9f8593a4ea435e13faf219b50f9a72480432289452e2cd2',
  '179517600000000000000000000000':
    '5b13d09897215ba5f534d9ea9f4bbc41227f3ab3de368c38f6515d566d87861d',
}

/** The defaults of a vector: everything is valid. */
const right = { secrets: [newSecret], header: `t=${t},v1=${byNew}`, body, now: t }

const accept = (name: string, given: Partial<typeof right> = {}): WebhookVector => ({
  name,
  ...right,
  ...given,
  accepted: true,
})

const refuse = (
  reason: string | undefined,
  name: string,
  given: Partial<typeof right>,
): WebhookVector => ({
  name,
  ...right,
  ...given,
  accepted: false,
  ...(reason !== undefined && { reason }),
})

const late = (name: string, now: number): WebhookVector =>
  refuse('timestamp_out_of_tolerance', name, { now })
const forged = (name: string, given: Partial<typeof right>): WebhookVector =>
  refuse('signature_mismatch', name, given)
const malformed = (name: string, header: string): WebhookVector =>
  refuse('header_malformed', name, { header })

const both = `t=${t},v1=${byNew},v1=${byOld}`

/** docs/generated/webhook-vectors.json, as values. */
export const webhookVectors: readonly WebhookVector[] = [
  accept('one secret'),
  accept('a secret in base64 with padding, which is not decoded', {
    secrets: [paddedSecret],
    header: `t=${t},v1=${byPadded}`,
  }),
  accept('two v1, the receiver has the new secret', { header: both }),
  accept('two v1, the receiver has the old secret', { header: both, secrets: [oldSecret] }),
  accept('two v1, the receiver has both', { header: both, secrets: [newSecret, oldSecret] }),
  accept('signed with the old secret, the receiver has both', {
    header: `t=${t},v1=${byOld}`,
    secrets: [newSecret, oldSecret],
  }),
  accept('signed with the new secret, the receiver has both', { secrets: [oldSecret, newSecret] }),
  accept('unknown further fields', {
    header: `v0=${byOld},t=${t},key,note=a=b,v1=${byNew},v2=${byOld}`,
  }),
  accept('v1 before t', { header: `v1=${byNew},t=${t}` }),
  accept(`signed exactly ${tolerance} s ago`, { now: t + tolerance }),
  late(`signed ${tolerance + 1} s ago`, t + tolerance + 1),
  accept(`signed exactly ${tolerance} s in the future`, { now: t - tolerance }),
  late(`signed ${tolerance + 1} s in the future`, t - tolerance - 1),
  refuse('timestamp_out_of_tolerance', 't of thirty digits', {
    header: `t=179517600000000000000000000000,v1=${ofTime['179517600000000000000000000000']}`,
  }),
  accept('UTF-8 in the body', { body: utf8Body, header: `t=${t},v1=${ofUtf8Body}` }),
  accept('an empty body', { body: '', header: `t=${t},v1=${ofEmptyBody}` }),
  forged('one byte of the body changed', { body: body.replace('s-1042', 's-1043') }),
  forged('one byte added to the body', { body: `${body}\n` }),
  forged('the body parsed and serialized again', { body: body.replaceAll('":"', '": "') }),
  forged('another t than was signed', { header: `t=${t + 1},v1=${byNew}` }),
  forged('the wrong secret', { secrets: [oldSecret] }),
  forged('two v1, the receiver has neither secret', { header: both, secrets: ['whsec_other'] }),
  forged('the receiver leaves out the prefix of the secret', { secrets: [newSecret.slice(6)] }),
  forged('signed without the prefix of the secret', { header: `t=${t},v1=${byNewWithoutPrefix}` }),
  forged('signed with the decoded secret', {
    secrets: [paddedSecret],
    header: `t=${t},v1=${byDecoded}`,
  }),
  forged('v1 in upper case', { header: `t=${t},v1=${byNew.toUpperCase()}` }),
  forged('v1 cut short', { header: `t=${t},v1=${byNew.slice(0, -1)}` }),
  forged('v1 with a digit too many', { header: `t=${t},v1=${byNew}0` }),
  forged('v1 is empty', { header: `t=${t},v1=` }),
  forged('v1 is not ASCII', { header: `t=${t},v1=é${byNew.slice(1)}` }),
  malformed('t is missing', `v1=${ofTime['']}`),
  malformed('t is empty', `t=,v1=${ofTime['']}`),
  malformed('t is not a number', `t=now,v1=${ofTime.now}`),
  malformed('t has a sign', `t=+1795176000,v1=${ofTime['+1795176000']}`),
  malformed('t has a fraction', `t=1795176000.0,v1=${ofTime['1795176000.0']}`),
  malformed('t is in digits of another script', `t=١٧٩٥١٧٦٠٠٠,v1=${ofTime['١٧٩٥١٧٦٠٠٠']}`),
  malformed('two t, the signed one first', `t=${t},t=${t + 1},v1=${byNew}`),
  malformed('two t, the signed one last', `t=${t + 1},t=${t},v1=${byNew}`),
  malformed('v1 is missing', `t=${t}`),
  malformed('only signatures of other versions', `t=${t},v0=${byNew},v10=${byNew}`),
  malformed('a header of one word', 'signed'),
  refuse('header_missing', 'an empty header', { header: '' }),
  refuse(undefined, 'the receiver has an empty secret', {
    secrets: [''],
    header: `t=${t},v1=${byEmptySecret}`,
  }),
]

/** docs/generated/webhook-vectors.json */
export const webhookVectorsText = (): string => `${JSON.stringify(webhookVectors, null, 2)}\n`

/** The first vector, as it arrives at a receiver. */
export function exampleRequest(): string {
  const [first] = webhookVectors as [WebhookVector]
  return `POST /webhooks HTTP/1.1
Host: receiver.example
Content-Type: application/json
Content-Length: ${Buffer.byteLength(first.body)}
User-Agent: Service-Webhooks/1
Service-Event: ${(JSON.parse(first.body) as { type: string }).type}
Service-Delivery: 0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47
Service-Timestamp: ${first.now}
Service-Signature: ${first.header}

${first.body}`
}
