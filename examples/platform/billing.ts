import { control } from './client.ts'

const [, , since, until] = process.argv // The first and the last day of the month.
for await (const { id, name } of control.items('/tenants')) {
  const { items } = await control.GET('/tenants/{id}/usage', {
    params: { path: { id }, query: { since: since!, until: until! } },
  })
  const events = items.reduce((sum, day) => sum + day.events, 0)
  const requests = items.reduce((sum, day) => sum + day.requests, 0)
  console.log(`${id},${JSON.stringify(name)},${events},${requests}`)
}
