import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { isInteractive } from '../environment.ts'
import * as option from '../options.ts'

export const mcp = command({
  path: 'mcp',
  summary: 'Serve agents by the Model Context Protocol on standard input and output',
  examples: ['hctl mcp', 'hctl mcp --allow-writes'],
  options: {
    allowWrites: option.flag(
      'Also offer what changes something, except deletion, revocation, rotation and the creation of keys',
    ),
  },
  async run(context, { allowWrites }) {
    const client = await signedInClient(context)
    const { environment, output } = context
    if (isInteractive(environment)) {
      output.note('An agent starts this command. It waits for messages on standard input.')
    }
    // Loaded only here: it is larger than the rest of hctl.
    const { serve } = await import('./server.ts')
    await serve({ client, environment, allowsWrites: allowWrites === true })
  },
})
