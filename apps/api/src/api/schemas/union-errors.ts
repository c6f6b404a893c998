import type { ErrorObject } from 'ajv/dist/2020.js'

/**
 * Leaves one error for each fault of a value that may have several shapes. Ajv lists the errors of every shape. Those of
 * the shape with the value's type remain; if the value has no type that is allowed, one error names the types.
 */
export function withoutOtherShapes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const union = errors.find(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  if (!union) return errors
  const prefix = `${union.schemaPath}/`
  const isInside = ({ schemaPath, instancePath }: ErrorObject) =>
    schemaPath.startsWith(prefix) && instancePath.startsWith(union.instancePath)
  const inside = errors.filter(isInside)
  const others = errors.filter((error) => error !== union && !isInside(error))
  const isOfType = ({ keyword, instancePath }: ErrorObject) =>
    keyword === 'type' && instancePath === union.instancePath
  const shapes = Map.groupBy(
    inside,
    ({ schemaPath }) => schemaPath.slice(prefix.length).split('/')[0],
  )
  const fitting = [...shapes.values()].filter((shape) => !shape.some(isOfType))
  if (fitting.length === 1) return withoutOtherShapes([...others, ...fitting[0]!])
  // Shapes of one type, such as objects with different members: only their errors together say what is missing.
  if (fitting.length > 1) return [...withoutOtherShapes(others), union, ...inside]
  const types = new Set(inside.filter(isOfType).map(({ params }) => String(params['type'])))
  const message = `must be ${[...types].join(' or ')}`
  return [...withoutOtherShapes(others), { ...union, keyword: 'type', message }]
}
