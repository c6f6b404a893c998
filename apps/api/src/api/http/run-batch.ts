import { Problem, problemDocument } from '@hosting/core/problems'
import type { Services } from '../services.ts'
import { toProblem } from './problem-document.ts'
import type { PreparationRequest, Route } from '../routes/route.ts'
import type { HttpResponse } from '../response.ts'
import { schemasOf } from './run-route.ts'
import { inWork } from '../work.ts'

/** A record of a batch, and the route `PUT …/{id}` that applies it. */
export interface BatchItem<Caller> {
  readonly route: Route<Caller>
  /** The body of the PUT, with the id. Not checked yet. */
  readonly record: unknown
}

/** What became of a record. */
export interface BatchOutcome {
  /** Null if the record has none. */
  readonly id: string | null
  /** The status that its own PUT would have. */
  readonly status: number
  readonly problem?: ReturnType<typeof problemDocument>
}

/** A batch: its request, with the caller and the path, and its records. */
export interface Batch<Caller> {
  readonly request: PreparationRequest<Caller>
  /** The path of the request. */
  readonly instance: string
  readonly items: readonly BatchItem<Caller>[]
}

/**
 * Applies records as their own PUTs would, each in a transaction of its own and one after the other: a record may need
 * what an earlier one creates or releases. A record that is refused stops no other.
 *
 * @throws Problem `service_unavailable`, which concerns the records that follow, too.
 */
export async function runBatch<Caller>(
  services: Services,
  batch: Batch<Caller>,
): Promise<BatchOutcome[]> {
  const calls = await prepareAll(services, batch)
  const outcomes: BatchOutcome[] = []
  for (const call of calls) outcomes.push(await apply(services, batch, call))
  return outcomes
}

/** A record that is ready to be applied, or the problem with it. */
interface Call<Caller> {
  readonly route: Route<Caller>
  readonly id: string | null
  readonly ready: { readonly body: object; readonly prepared: unknown } | Problem
}

/** How many records are prepared at a time. It leaves room for sign-ins in the queue of passwords. */
const preparedAtOnceMax = 4

async function prepareAll<Caller>(
  services: Services,
  { request, items }: Batch<Caller>,
): Promise<Call<Caller>[]> {
  const calls: Call<Caller>[] = []
  const rest = items.entries()
  const prepareRest = async (): Promise<void> => {
    for (const [index, item] of rest) calls[index] = await prepare(services, request, item)
  }
  await Promise.all(Array.from({ length: preparedAtOnceMax }, prepareRest))
  return calls
}

async function prepare<Caller>(
  services: Services,
  request: PreparationRequest<Caller>,
  { route, record }: BatchItem<Caller>,
): Promise<Call<Caller>> {
  const isObject = typeof record === 'object' && record !== null && !Array.isArray(record)
  const { id: given, ...body }: { readonly id?: unknown } = isObject ? record : {}
  const id = typeof given === 'string' ? given.toLowerCase() : null
  const schemas = schemasOf(route)
  const errors = [
    ...schemas.params!(given === undefined ? {} : { id: given }),
    ...schemas.body!(body),
  ]
  if (errors.length > 0) return { route, id, ready: new Problem('validation_failed', { errors }) }
  const values = { ...request, params: { id }, body }
  return { route, id, ready: { body, prepared: await route.prepare?.(values, services) } }
}

async function apply<Caller>(
  services: Services,
  { request, instance }: Batch<Caller>,
  { route, id, ready }: Call<Caller>,
): Promise<BatchOutcome> {
  const { requestId } = request
  try {
    if (ready instanceof Problem) throw ready
    const result = await inWork(services.database, services.log, (work) =>
      route.handle({ ...request, ...ready, params: { id }, work }, services),
    )
    return { id, status: (result as HttpResponse).status }
  } catch (error) {
    const problem = toProblem(error, { id: requestId }, services.log)
    if (problem.code === 'service_unavailable') throw problem
    return {
      id,
      status: problem.status,
      problem: problemDocument(problem, { instance, requestId }),
    }
  }
}
