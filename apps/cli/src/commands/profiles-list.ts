import { command } from '../command.ts'
import { toTable, type Columns } from '../output/table.ts'
import type { Profile } from '../storage/profiles.ts'

export const profilesList = command({
  path: 'profiles list',
  summary: 'List the sign-ins kept on this machine',
  async run({ profiles, profile: inUse, output }) {
    const items: Row[] = []
    for (const name of await profiles.list()) {
      const profile = await profiles.find(name)
      if (profile) items.push({ name, current: name === inUse, ...profile })
    }
    output.answer({ items }, items.length ? toTable(items, columns) : [])
    if (items.length === 0) output.note('No profiles: hctl login makes one.')
  },
})

type Row = Profile & { readonly name: string; readonly current: boolean }

const columns: Columns<Row> = {
  '': ({ current }) => (current ? '*' : ' '),
  profile: ({ name }) => name,
  server: ({ server }) => server,
  user: ({ user }) => user,
  organization: ({ tenant }) => tenant,
  'kept in': ({ storage }) => storage,
  until: ({ expires_at }) => expires_at?.slice(0, 10),
}
