import { control } from './client.ts'

const params = { path: { id: process.argv[2]! } } // The person.
const { user } = await control.GET('/users/{id}', { params })
const { id: _id, created_at: _made, updated_at: _changed, has_password: _has, ...members } = user
// The tombstone keeps the name that the person has when it is deleted.
await control.PUT('/users/{id}', {
  params,
  body: {
    ...members,
    name: 'Deleted user',
    status: 'deactivated',
    roles: [],
    accounts: [],
  },
})
await control.DELETE('/users/{id}', { params })
