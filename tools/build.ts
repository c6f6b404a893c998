// `npm run build`: the Prisma client, then every workspace with one `tsc -b`; tools and tests need no
// build. Prints only faults.
import { runTool } from './run.ts'

runTool('prisma', ['generate', '--no-hints'])
runTool('tsc', ['-b', 'apps/api', 'apps/cli', 'apps/worker', 'packages/sdk'])
