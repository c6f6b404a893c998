import { command } from '../command.ts'
import { usageError } from '../exit-codes.ts'
import { checkProfileName } from '../storage/profiles.ts'

export const profilesUse = command({
  path: 'profiles use',
  summary: 'Choose the sign-in of commands that name none',
  arguments: { name: 'The profile' },
  async run({ profiles, output }, { name }) {
    if (!(await profiles.find(checkProfileName(name)))) {
      throw usageError('no_profile', `There is no profile ${name}. See hctl profiles list.`)
    }
    await profiles.use(name)
    output.answer({ profile: name }, [`Commands now use profile ${name}.`])
  },
})
