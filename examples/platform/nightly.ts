import { control } from './client.ts'
import { customers } from './customers.ts'

const { put, refused, surplus } = await control.directory.sync({
  tenants: customers.map(({ id, slug, name }) => ({ id, slug, name })),
  accounts: customers.map(({ id, name, accountId }) => ({ id: accountId, tenant_id: id, name })),
  users: customers.map(({ id, accountId, owner }) => ({
    ...owner,
    tenant_id: id,
    status: 'active',
    roles: ['admin'],
    accounts: [accountId],
  })),
})
console.log(`Sent ${put.length}, refused ${refused.length}, surplus ${surplus.length}`)
for (const { type, id, name } of surplus) console.log(`Surplus: ${type} ${id} ${name}`)
