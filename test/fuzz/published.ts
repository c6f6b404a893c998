import {
  internalApiDocument,
  internalBase,
  internalRoutes,
  openApiDocument,
  publicRoutes,
} from '@hosting/api'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Exchange } from './exchange.ts'
import type { Operation } from './operations.ts'

const documents = {
  public: openApiDocument(publicRoutes),
  internal: internalApiDocument(internalRoutes, internalBase),
}

const ajv = addFormats.default(
  new Ajv2020({ strict: false, allErrors: true, validateSchema: false, logger: false }),
)
for (const [name, document] of Object.entries(documents)) ajv.addSchema(document, name)
const compiled = new Map<string, ValidateFunction>()

/** A batch is accepted whatever its records are: each has a result of its own. */
const judgesRecords: ReadonlySet<string> = new Set(['internal.directory.put'])

/**
 * Checks that the published document describes what happened: a body that the API accepted is valid, and so is every
 * response.
 *
 * @throws Error that says what is wrong.
 */
export function requirePublished(operation: Operation, response: Exchange): void {
  const { status, text, headers } = response
  const sent = response.sent.body
  const requireValid = (place: readonly string[], value: unknown): void => {
    const validate = validatorOf(operation, place)
    if (validate(value)) return
    throw new Error(
      `${operation.operationId}: the published document is narrower than the API at ${place.join('/')}: ${ajv.errorsText(validate.errors)}`,
    )
  }
  const isSent = sent.kind === 'json' && sent.value !== undefined
  if (
    status < 300 &&
    isSent &&
    operation.requestBody &&
    !judgesRecords.has(operation.operationId)
  ) {
    requireValid(['requestBody', 'content', 'application/json'], sent.value)
  }
  const mediaType = headers['content-type']
  if (text === '' || mediaType === undefined || !mediaType.endsWith('json')) return
  requireValid(['responses', String(status), 'content', mediaType], JSON.parse(text))
}

function validatorOf({ listener, path, method }: Operation, place: readonly string[]) {
  const pointer = ['paths', path, method.toLowerCase(), ...place, 'schema']
    .map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const reference = `${listener.name}#/${pointer}`
  const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference })
  compiled.set(reference, validate)
  return validate
}
