import { runTool } from '../../tools/run.ts'

/** Builds the processes that tests start, and what they serve. Fast, and writes nothing, if nothing changed. */
export default function build(): void {
  runTool('tsc', ['-b', 'apps/api', 'apps/cli', 'apps/worker'])
  runTool(process.execPath, ['tools/bundle-services.ts'])
  runTool(process.execPath, ['tools/build-site.ts'])
}
