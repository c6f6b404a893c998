// `npm run build`: the Prisma client, every workspace with one `tsc -b`, then the documentation and downloads that
// the API serves. Tools and tests need no build. Prints only errors.
import { runTool } from './run.ts'

runTool('prisma', ['generate', '--no-hints'])
runTool('tsc', [
  '-b',
  'apps/api',
  'apps/cli',
  'apps/worker',
  'packages/platform-sdk',
  'packages/sdk',
])
runTool(process.execPath, ['tools/bundle-services.ts'])
runTool(process.execPath, ['tools/build-site.ts'])
