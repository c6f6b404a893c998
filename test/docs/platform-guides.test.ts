import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { customers } from '../../examples/platform/customers.ts'
import { root } from '../../tools/run.ts'
import { useApi } from '../support/api.ts'
import { serviceToken } from '../support/environment.ts'
import { siteData } from '../support/events.ts'

const api = useApi()

/** Runs a program of the guides. Returns the lines that it prints. */
async function run(file: string, args: readonly string[] = [], input = ''): Promise<string[]> {
  const program = file.endsWith('.py') ? 'python3' : process.execPath
  const child = spawn(program, [file, ...args], {
    cwd: `${root}examples/platform`,
    env: {
      PATH: process.env['PATH'],
      INTERNAL_URL: api.internalUrl,
      SERVICE_TOKEN: serviceToken,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(input)
  const printed = Buffer.concat(await child.stdout.toArray()).toString()
  if (child.exitCode === null) await once(child, 'close')
  expect(child.exitCode).toBe(0)
  return printed.trim().split('\n')
}

const languages = ['ts', 'py'] as const

test('nightly.ts sends each difference once, and reports records that only the service has', async () => {
  const { id } = await api.makeTenant()
  // The test of the example platform sends the same customers, perhaps to the same database.
  await run('nightly.ts')
  const [{ id: tenantId, slug, name, owner }] = customers as readonly [(typeof customers)[number]]
  await api.callInternal('put', `/tenants/${tenantId}`, { slug, name: 'Another name' })
  expect((await run('nightly.ts'))[0]).toMatch(/^Sent 1, refused 0, /)
  const lines = await run('nightly.ts')
  expect(lines[0]).toMatch(/^Sent 0, refused 0, /)
  expect(lines).toContain(`Surplus: tenant ${id} Acme`)
  const tenant = await api.callInternal('get', `/tenants/${tenantId}`)
  expect(tenant.body.tenant).toMatchObject({ name })
  const user = await api.callInternal('get', `/users/${owner.id}`)
  expect(user.body.user).toMatchObject({ name: 'Bea Baker', roles: ['admin'] })
})

test('nightly.py sends the differences, and reports records that only the service has', async () => {
  const { id } = await api.makeTenant()
  const tenant = { id: randomUUID(), slug: `t-${randomUUID()}`, name: 'Acme' }
  const records = JSON.stringify({ tenants: [tenant], accounts: [], users: [] })
  const first = await run('nightly.py', [], records)
  expect(first).toContain(`tenant ${tenant.id} 201`)
  expect(first).toContain(`surplus tenants ${id} Acme`)
  const second = await run('nightly.py', [], records)
  expect(second.filter((line) => line.startsWith('tenant '))).toEqual([])
})

test.each(languages)('billing.%s prints the usage of every organization', async (extension) => {
  const { id } = await api.makeTenant()
  await api.callInternal('post', '/events', {
    type: 'site.created',
    tenant_id: id,
    data: siteData,
  })
  const today = new Date().toISOString().slice(0, 10)
  expect(await run(`billing.${extension}`, [today, today])).toContain(`${id},"Acme",1,0`)
})

test.each(languages)('support.%s prints the endpoints of an organization', async (extension) => {
  const tenant = await api.makeTenant()
  const { token } = await tenant.makeKey()
  const url = 'https://hooks.example.com/in'
  await api.call('post', '/webhooks', { token, body: { url, events: ['*'], enabled: false } })
  expect(await run(`support.${extension}`, [tenant.id])).toEqual([`disabled ${url}`])
})

test.each(languages)('erase.%s leaves only an id', async (extension) => {
  const { id: tenantId } = await api.makeTenant()
  const [id, email] = [randomUUID(), `${randomUUID()}@example.test`]
  await api.callInternal('put', `/users/${id}`, {
    tenant_id: tenantId,
    email,
    name: 'Ana Person',
    status: 'active',
    roles: ['admin'],
    accounts: [],
    password: 'correct horse',
  })
  await run(`erase.${extension}`, [id])
  const row = await api.database.prisma.user.findUnique({ where: { id } })
  expect(row).toMatchObject({ name: 'Deleted user', email: null, passwordHash: null })
  expect((await api.callInternal('get', `/users/${id}`)).status).toBe(404)
})
