import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { hostingSchema } from '../generated/hosting-schema.ts'

/** A value of the file that its schema does not allow. */
export interface Invalid {
  readonly path: readonly string[]
  readonly message: string
}

/** Compares a value with the schema of the file. The service checks the formats of texts. */
export function findInvalid(value: unknown): readonly Invalid[] {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, validateFormats: false })
  const validate = ajv.compile(hostingSchema)
  if (validate(value)) return []
  const found = validate.errors!.filter((error) => !isAlternative(error)).map(toInvalid)
  const first = new Map(found.map((each) => [`${each.path.join('\n')} ${each.message}`, each]))
  return [...first.values()]
}

/** The errors within the alternatives say more. */
const isAlternative = ({ keyword, schemaPath }: ErrorObject): boolean =>
  ['anyOf', 'oneOf', 'propertyNames'].includes(keyword) ||
  (keyword === 'enum' && schemaPath.includes('/anyOf/'))

function toInvalid({ instancePath, keyword, params, message, propertyName }: ErrorObject): Invalid {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'additionalProperties') {
    return { path: [...path, String(params['additionalProperty'])], message: 'is not a setting' }
  }
  if (propertyName !== undefined) {
    const says = 'is not an external id: 1 to 100 of letters, digits and ._:/-'
    return { path: [...path, propertyName], message: says }
  }
  if (keyword === 'const') return { path, message: `must be ${String(params['allowedValue'])}` }
  return { path, message: message ?? 'is not valid' }
}
