import { control } from './client.ts'

export interface Customer {
  readonly id: string // A UUID of the platform, as all ids here.
  readonly slug: string
  readonly name: string
  readonly accountId: string
  readonly owner: { readonly id: string; readonly email: string; readonly name: string }
}

/** Call it whenever a customer changes. It can be repeated. */
export async function saveCustomer({ id, slug, name, accountId, owner }: Customer): Promise<void> {
  await control.PUT('/tenants/{id}', { params: { path: { id } }, body: { slug, name } })
  await control.PUT('/accounts/{id}', {
    params: { path: { id: accountId } },
    body: { tenant_id: id, name },
  })
  await control.PUT('/users/{id}', {
    params: { path: { id: owner.id } },
    body: {
      tenant_id: id,
      email: owner.email,
      name: owner.name,
      status: 'active',
      roles: ['admin'],
      accounts: [accountId],
    },
  })
}

/** Its keys stop working with the next request. */
export async function deleteCustomer(id: string): Promise<void> {
  await control.DELETE('/tenants/{id}', { params: { path: { id } } })
}
