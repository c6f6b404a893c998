import { command } from '../command.ts'
import { usageError } from '../exit-codes.ts'
import { optional, truncated, type Columns } from '../terminal/table.ts'
import { requireProfileName, type Profile } from './profiles.ts'

const list = command({
  path: 'profiles list',
  summary: 'List the profiles on this machine',
  examples: ['hctl profiles list'],
  async run({ profiles, profile: inUse, output }) {
    const items: Row[] = []
    for (const name of await profiles.list()) {
      const profile = await profiles.find(name)
      if (profile) items.push({ name, current: name === inUse, ...profile })
    }
    output.result({ items }, items.length ? output.table(items, columns) : [])
    if (items.length === 0) output.note('No profiles. hctl login creates one.')
  },
})

const use = command({
  path: 'profiles use',
  summary: 'Choose the profile for commands without --profile',
  examples: ['hctl profiles use production'],
  arguments: { name: { description: 'The profile', values: 'profile' } },
  async run({ profiles, output }, { name }) {
    if (!(await profiles.find(requireProfileName(name)))) {
      throw usageError('no_profile', `There is no profile ${name}.`, 'See hctl profiles list.')
    }
    await profiles.use(name)
    output.result({ profile: name }, [`Commands now use profile ${name}.`])
  },
})

export const profileCommands = [list, use]

type Row = Profile & { readonly name: string; readonly current: boolean }

const columns: Columns<Row> = {
  '': ({ current }) => (current ? '*' : ' '),
  profile: ({ name }) => name,
  server: truncated(({ server }) => server),
  user: truncated(({ user }) => user),
  organization: truncated(({ tenant }) => tenant),
  storage: optional(({ storage }) => storage),
  expires: optional(({ expires_at }) => expires_at?.slice(0, 10)),
}
