// `npm run build`: the Prisma client, then every workspace with one `tsc -b`. Prints only faults.
import { runTool } from './run.ts'

runTool('prisma', ['generate', '--no-hints'])
runTool('tsc', ['-b'])
