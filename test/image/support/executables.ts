import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

/** Downloads an executable of `hctl` from a service, and returns its content. */
export async function downloadExecutable(serviceUrl: string, platform: string): Promise<Buffer> {
  const response = await fetch(`${serviceUrl}/downloads/hctl-${platform}.gz`)
  if (response.status !== 200) throw new Error(`${platform}: ${await response.text()}`)
  return gunzipSync(Buffer.from(await response.arrayBuffer()))
}

/** Saves an executable on a machine that has nothing else, not even Node. */
export function installExecutable(content: Buffer, variables: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'hctl-executable-'))
  const file = join(folder, 'hctl')
  writeFileSync(file, content, { mode: 0o755 })
  const options = { cwd: folder, env: { HOME: folder, ...variables } }
  return {
    folder,
    /** Runs a command line. Returns what it prints. */
    run: async (...words: string[]) => (await promisify(execFile)(file, words, options)).stdout,
    /** Signs in by the device login. */
    async signIn(approve: (userCode: string) => Promise<void>): Promise<void> {
      const child = spawn(file, ['login', '--json'], {
        ...options,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'close')
      for await (const text of child.stdout.setEncoding('utf8')) {
        const [, code] = /"user_code":"([^"]+)"/.exec(text as string) ?? []
        if (code !== undefined) await approve(code)
      }
      const [exitCode] = (await ended) as [number]
      if (exitCode !== 0) throw new Error(`hctl login exited with ${exitCode}`)
    },
  }
}

/** The machine types of ELF, in e_machine of its header. */
export const elfMachines: Readonly<Record<string, number>> = { 'linux-x64': 62, 'linux-arm64': 183 }

/** The machine type of an ELF file for 64 bits. */
export function machineOf(content: Buffer): number {
  if (content.subarray(0, 5).toString('latin1') !== '\u007FELF\u0002')
    throw new Error('no ELF file')
  return content.readUInt16LE(18)
}
