import type { Customer } from './directory.ts'

/** The customers of this platform. A real platform has them in its database. */
export const customers: readonly Customer[] = [
  {
    id: '0de00000-0000-4000-8000-000000000011',
    slug: 'bakery',
    name: 'Bakery',
    accountId: '0de00000-0000-4000-8000-000000000012',
    owner: {
      id: '0de00000-0000-4000-8000-000000000013',
      email: 'bea@bakery.example',
      name: 'Bea Baker',
    },
  },
  {
    id: '0de00000-0000-4000-8000-000000000021',
    slug: 'bookshop',
    name: 'Bookshop',
    accountId: '0de00000-0000-4000-8000-000000000022',
    owner: {
      id: '0de00000-0000-4000-8000-000000000023',
      email: 'bo@bookshop.example',
      name: 'Bo Bookman',
    },
  },
]
