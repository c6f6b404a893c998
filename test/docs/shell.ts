import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { env as own, execPath, kill } from 'node:process'

/** A shell that runs the commands of a page one after the other, as in a terminal. */
export interface Shell {
  /** Runs commands to their end, and returns what they printed. Rejects if one of them fails. */
  run(commands: string): Promise<string>
  /** Starts a program that keeps running. */
  start(command: string): void
  /** Waits until the output of what was started matches; returns the match. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** Ends the shell and what it started. */
  close(): Promise<void>
}

const marker = '-- done --'

/** Opens a shell in a folder that it takes for its home too. */
export function openShell(folder: string): Shell {
  const child = spawn('sh', ['-e'], { cwd: folder, env: environmentIn(folder), detached: true })
  let printed = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => (printed += text))
  }
  let isOver = false
  const ended = once(child, 'close').then(() => (isOver = true))

  const shows = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(printed)
      if (match) return match
      if (isOver) throw new Error(`The shell ended without ${String(pattern)}:\n${printed}`)
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended])
    }
  }
  return {
    async run(commands) {
      printed = ''
      child.stdin.write(`{ ${commands}\n} < /dev/null\nprintf '\\n${marker}\\n'\n`)
      await shows(new RegExp(`^${marker}$`, 'm'))
      return printed.replace(marker, '')
    },
    start(command) {
      printed = ''
      child.stdin.write(`${command}\n`)
    },
    shows,
    async close() {
      if (!isOver) kill(-child.pid!)
      await ended
    },
  }
}

/** What a machine needs to reach its package registry. */
const networkSettings = ['npm_config_registry', 'NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY']

/** The environment of a machine that has nothing of the repository. */
const environmentIn = (folder: string): Record<string, string> => ({
  PATH: dirname(execPath) + delimiter + own['PATH']!,
  HOME: folder,
  // The default of npm 12, which older versions accept as a setting.
  npm_config_allow_remote: 'none',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  // Of the machine, so that Go does not compile its standard library again.
  GOCACHE: own['GOCACHE'] ?? join(homedir(), '.cache/go-build'),
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
  ...Object.fromEntries(
    networkSettings.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])),
  ),
})
