import { runTool } from '../../tools/run.ts'

/** Builds the processes that tests start: quick where nothing changed, and then it writes nothing. */
export default function build(): void {
  runTool('tsc', ['-b', 'apps/api', 'apps/cli', 'apps/worker'])
}
