import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Exchange } from './exchange.ts'
import type { Listener, Operation } from './operations.ts'

/**
 * Checks a response against the document of its operation: the status is documented and not a server error, the
 * body has a documented type and schema, and no secret of the request is repeated.
 *
 * @throws Error that says what is wrong.
 */
export function requireValidResponse(
  operation: Operation,
  method: string,
  response: Exchange,
): void {
  const { status, headers, text, secrets } = response
  const fail = (what: string): never => {
    throw new Error(`${operation.operationId} ${what}: ${status} ${text.slice(0, 500)}`)
  }
  const documented = operation.responses[status]
  if (!documented) return fail('gave a status that is not documented')
  if (status >= 500) return fail('failed')
  if (headers['cache-control'] !== 'no-store') fail('may be cached')
  if (!headers['x-request-id']) fail('has no request id')
  if (secrets.some((secret) => text.includes(secret))) fail('repeated what it was called with')
  const mediaTypes = Object.keys(documented.content ?? {})
  const [sentType] = headers['content-type']?.split(';') ?? []
  const mediaType = mediaTypes.find((type) => type === sentType)
  if (mediaType !== sentType) fail(`does not have one of the media types ${mediaTypes.join()}`)
  if (mediaType === undefined && text !== '') fail('has a body that is not documented')
  if (!mediaType?.endsWith('json') || method === 'HEAD') return
  const validate = validatorOf(operation, status, mediaType)
  const body = JSON.parse(text) as { status?: unknown; code?: unknown; type?: unknown }
  if (!validate(body)) fail(`does not fit its schema, ${ajv.errorsText(validate.errors)}`)
  if (status < 400) return
  if (body.status !== status) fail('gave a problem of another status')
  if (body.type !== `/problems/${String(body.code)}`) fail('gave a problem of another type')
}

const ajv = addFormats.default(
  new Ajv2020({ strict: false, allErrors: true, validateSchema: false, logger: false }),
)
const compiled = new Map<string, ValidateFunction>()

function validatorOf(operation: Operation, status: number, mediaType: string): ValidateFunction {
  const { listener, method, path } = operation
  const place = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    mediaType,
    'schema',
  ]
  const pointer = place
    .map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/')
  const reference = `${keyOf(listener)}#/${pointer}`
  const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference })
  compiled.set(reference, validate)
  return validate
}

/** Registers the document, so that references within it resolve. */
function keyOf({ name, document }: Listener): string {
  const key = `https://documents.invalid/${name}`
  if (!compiled.has(key)) compiled.set(key, ajv.addSchema(document, key).getSchema(key)!)
  return key
}
