import { getVisibleKey } from '../../use-cases/key-access.ts'
import { toKeyRecord } from '../../records/api-key.ts'
import { route } from '../public-route.ts'
import { keyAnswer, keyParams } from './schemas.ts'

export const getKeyRoute = route({
  operation: 'api-keys.get',
  method: 'GET',
  path: '/api-keys/:id',
  summary: 'Get a key',
  auth: 'apikeys.read',
  params: keyParams,
  answers: { 200: { description: 'The key.', schema: keyAnswer } },
  problems: [],
  async handle({ caller, params }, { database }) {
    return { key: toKeyRecord(await getVisibleKey(database.prisma, caller, params.id)) }
  },
})
