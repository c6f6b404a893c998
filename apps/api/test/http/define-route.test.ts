import { change, read } from '@hosting/api'
import { expect, test } from '@jest/globals'
import { Type } from 'typebox'

const common = {
  operationId: 'example',
  path: '/example',
  summary: 'An example',
  auth: 'webhooks.read',
  problems: [],
} as const
const count = Type.Object({ count: Type.Integer() })
const counted = { status: 201, description: 'The count.', schema: count } as const

// `npm run check` compiles this file, and fails if an expected error is missing.

test('a read is a GET and has no transaction', () => {
  const route = read({
    ...common,
    returns: counted,
    // @ts-expect-error -- a read has no `work`
    handle: ({ work }) => Promise.resolve({ count: work ? 1 : 0 }),
  })
  expect(route).toMatchObject({ kind: 'read', method: 'GET', returns: [counted] })
})

test('a result must match the type of its schema', () => {
  read({
    ...common,
    returns: counted,
    // @ts-expect-error -- `total` is not in the schema, and `count` is missing
    handle: () => Promise.resolve({ total: 'many' }),
  })
  read({ ...common, returns: counted, handle: () => Promise.resolve({ count: 1 }) })
})

test('a route without credentials can declare neither a confirmation nor an Idempotency-Key', () => {
  const open = {
    ...common,
    auth: 'none',
    method: 'POST',
    returns: { status: 204, description: 'Done.' },
    handle: () => Promise.resolve(),
  } as const
  // @ts-expect-error -- nobody is signed in
  change({ ...open, confirmed: true })
  // @ts-expect-error -- nobody is signed in
  change({ ...open, refusesImpersonation: true })
  // @ts-expect-error -- there is no Idempotency-Key without credentials
  change({ ...open, ignoresIdempotencyKey: true })
  read({
    ...common,
    // @ts-expect-error -- a read is not confirmed
    confirmed: true,
    returns: counted,
    handle: () => Promise.resolve({ count: 1 }),
  })
  // @ts-expect-error -- a change has another method
  change({ ...open, method: 'GET' })
  expect(change(open)).toMatchObject({ kind: 'change', auth: 'none' })
})

test('every path parameter has a schema, and the handler receives no other parameters', () => {
  // @ts-expect-error -- the schema of `id` is missing
  read({
    ...common,
    path: '/examples/:id',
    returns: counted,
    handle: () => Promise.resolve({ count: 1 }),
  })
  read({
    ...common,
    path: '/examples/:id',
    params: Type.Object({ id: Type.String() }),
    returns: counted,
    // @ts-expect-error -- the path has no `name`
    handle: ({ params }) => Promise.resolve({ count: params.name.length }),
  })
  expect(common.path).not.toContain(':')
})

test('a permission that keys cannot have is allowed only on session routes', () => {
  read({
    ...common,
    // @ts-expect-error -- keys cannot have it
    auth: 'users.impersonate',
    returns: counted,
    handle: () => Promise.resolve({ count: 1 }),
  })
  const route = read({
    ...common,
    auth: { session: 'users.impersonate' },
    returns: counted,
    handle: ({ caller }) => Promise.resolve({ count: caller.session.id.length }),
  })
  expect(route.auth).toEqual({ session: 'users.impersonate' })
})
