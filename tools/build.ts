// `npm run build`: the Prisma client, then every workspace with one `tsc -b`. Prints only faults.
import { spawnSync } from 'node:child_process'

for (const [command, ...args] of [
  ['prisma', 'generate', '--no-hints'],
  ['tsc', '-b'],
]) {
  const run = spawnSync(command!, args, { encoding: 'utf8' })
  if (run.status !== 0) {
    process.stderr.write(`${command} ${args.join(' ')} failed\n${run.stdout}${run.stderr}`)
    process.exit(1)
  }
}
