import { spawn } from 'node:child_process'

/**
 * Runs commands of a document in a shell that stops at the first failure, and returns what they print.
 *
 * @throws Error with the output if a command fails.
 */
export async function runShell(
  commands: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn('sh', ['-ec', commands], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`exit code ${code}:\n${commands}\n${output}`)
  return output
}
