import { exportedMax } from '@hosting/core/lists'
import { Type, type TObject, type TSchema } from 'typebox'
import type { Caller } from '../access/caller.ts'
import type { Route } from './route.ts'
import { strictObject, wordOf } from '../schemas/common.ts'
import {
  exportFormats,
  startExport,
  type ExportedPage,
  type ExportFormat,
} from '../use-cases/exports.ts'

const formats = Object.keys(exportFormats) as ExportFormat[]

const formatMember = {
  format: Type.Optional(
    wordOf(
      formats,
      `Exports the list as a file instead of a page: up to ${exportedMax.toLocaleString('en')} records, or \`limit\` of them, after \`cursor\` if it is given. The first line of \`csv\` has the names of the columns; values that begin with \`=\`, \`+\`, \`-\`, \`@\`, tab or carriage return are prefixed by \`'\`. \`jsonl\` has a record in each line. If more is left, the header \`X-Next-Cursor\` has its \`cursor\`. You can run one export at a time.`,
    ),
  ),
}

/** What an export of a list is. */
interface ExportShape {
  /** The name of the file. */
  readonly name: string
  /** The schema of a record. */
  readonly record: TSchema
  /** Whether the list is a log, oldest record first. */
  readonly isLog?: boolean
}

/** A list that can also be exported as a file, by the query parameter `format`. */
export function exportable<Result>(
  list: Route<Caller, Result>,
  { name, record, isLog = false }: ExportShape,
): Route<Caller> {
  const [page] = list.returns
  const { properties } = list.query as TObject
  return {
    ...list,
    query: strictObject({
      ...properties,
      limit: withoutDefault(properties['limit']!),
      ...formatMember,
    }),
    returns: [{ ...page, files: formats.map((format) => exportFormats[format]) }],
    problems: [...list.problems, 'conflict'],
    async handle(request, services) {
      const { format, ...query } = request.query as ExportQuery
      const { cursor, limit = exportedMax, since, ...filters } = query
      if (format === undefined) return list.handle({ ...request, query }, services)
      return startExport(services, {
        caller: request.caller,
        format,
        cursor,
        limit,
        name,
        record,
        isNewestFirst: !isLog,
        read: (after, take) =>
          list.handle(
            {
              ...request,
              query: {
                ...filters,
                limit: take,
                ...(after !== undefined && { cursor: after }),
                // A log takes either of them, and its cursor contains the time.
                ...(since !== undefined && !(isLog && after !== cursor) && { since }),
              },
            },
            services,
          ) as Promise<ExportedPage>,
        reauthorize: () => request.reauthorize(),
      })
    },
  }
}

/** A limit whose absence can be told from its default: an export then has no smaller limit than its own. */
function withoutDefault(schema: TSchema): TSchema {
  const { minimum, maximum, default: pageDefault, description } = schema as LimitSchema
  return Type.Optional(
    Type.Integer({
      minimum,
      maximum,
      description: `${description} Default: ${pageDefault}, or all records of an export.`,
    }),
  )
}

interface LimitSchema extends TSchema {
  readonly minimum: number
  readonly maximum: number
  readonly default: number
  readonly description: string
}

interface ExportQuery {
  readonly format?: ExportFormat
  readonly cursor?: string
  readonly limit?: number
  readonly since?: string
}
