// `npm run build`: the Prisma client, then every workspace with one `tsc -b`. Tools and tests need no
// build. Prints only errors.
import { runTool } from './run.ts'

runTool('prisma', ['generate', '--no-hints'])
runTool('tsc', ['-b', 'apps/api', 'apps/cli', 'apps/worker', 'packages/sdk'])
