import { directoryBatchMax } from '@hosting/core/directory'
import { validationFailed } from '@hosting/core/problems'
import { Type, type TObject } from 'typebox'
import type { ServiceCaller } from '../access/caller.ts'
import { customChange } from '../routes/define-route.ts'
import type { Route } from '../routes/route.ts'
import { runBatch, type BatchOutcome } from '../http/run-batch.ts'
import { withUncheckedTexts } from '../schemas/validation.ts'
import { nullable, strictObject, text, uuid, wordOf } from '../schemas/common.ts'
import { putAccountRoute, putTenantRoute, putUserRoute } from './directory.ts'
import { accountBody, tenantBody, userBody } from '../schemas/directory.ts'

const types = ['tenant', 'account', 'user'] as const
type RecordType = (typeof types)[number]

/** The route that each record is applied with. */
const putRoutes: Readonly<Record<RecordType, Route<ServiceCaller>>> = {
  tenant: putTenantRoute,
  account: putAccountRoute,
  user: putUserRoute,
}

const batchMaxText = directoryBatchMax.toLocaleString('en')

const recordsOf = (schema: TObject, name: string) =>
  Type.Optional(
    Type.Array(strictObject({ id: uuid(`The id of the ${name}.`), ...schema.properties }), {
      maxItems: directoryBatchMax,
      description: `The ${name}s, as their own PUT takes them, each with its \`id\`.`,
    }),
  )

const anyRecords = withUncheckedTexts(
  Type.Optional(Type.Array(Type.Unknown(), { maxItems: directoryBatchMax })),
)

export const putDirectoryRoute = customChange({
  operationId: 'internal.directory.put',
  method: 'PUT',
  path: '/directory',
  summary: `Create or update up to ${batchMaxText} records`,
  description:
    'Applies each record as its own PUT would, first the organizations, then the accounts, then the users, in the order of the request. A refused record does not stop the others. Hashing a password takes tens of milliseconds.',
  auth: 'service',
  body: strictObject({ tenants: anyRecords, accounts: anyRecords, users: anyRecords }),
  documentedBody: strictObject({
    tenants: recordsOf(tenantBody, 'organization'),
    accounts: recordsOf(accountBody, 'account'),
    users: recordsOf(userBody, 'user'),
  }),
  returns: {
    status: 200,
    description: 'The result of each record, in the order in which they were applied.',
    schema: strictObject({
      items: Type.Array(
        strictObject({
          type: wordOf(types, 'The type of the record.'),
          id: nullable(text('The id of the record. Null if it has none.')),
          status: Type.Integer({
            description:
              'The status that its own PUT would have: 201, 200 or that of a problem. 422 if its id is missing or not a UUID.',
          }),
          problem: Type.Optional(
            Type.Unsafe<NonNullable<BatchOutcome['problem']>>({
              type: 'object',
              description: 'Why the record was refused, as a problem document.',
            }),
          ),
        }),
        { description: 'One item for each record.' },
      ),
    }),
  },
  problems: [],
  async handle(request, services) {
    const { tenants = [], accounts = [], users = [] } = request.body
    const groups = { tenant: tenants, account: accounts, user: users }
    const records = types.flatMap((type) => groups[type].map((record) => ({ type, record })))
    if (records.length > directoryBatchMax) {
      throw validationFailed({
        pointer: '',
        message: `must not have more than ${batchMaxText} records in total`,
      })
    }
    const items = records.map(({ type, record }) => ({ route: putRoutes[type], record }))
    const instance = '/internal/v1/directory'
    const outcomes = await runBatch(services, { request, instance, items })
    return { items: outcomes.map((outcome, index) => ({ type: records[index]!.type, ...outcome })) }
  },
})
