import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { freePort } from '../../../../tools/local-stack/free-port.ts'
import { requireDebianProgram } from '../../../../tools/local-stack/debian-package.ts'
import { findServerUser, type SystemUser } from '../../../../tools/local-stack/system-user.ts'
import { root } from '../../../../tools/run.ts'
import { killAll } from '../../../faults/system/killable-server.ts'
import { interpolate, type Compose } from '../../../support/compose.ts'
import { runShell } from '../../../support/run-shell.ts'
import { getMachinePostgres } from '../../../support/machine-postgres.ts'
import type { ComposeState, ServiceState } from './compose-state.ts'

/** Its two PostgreSQL servers. */
export type ComposeNode = 'postgres' | 'postgres2'

/** The servers of deploy/ha with exactly its files, on ports of 127.0.0.1 and with the PostgreSQL of this machine. */
export interface ComposePair {
  /** The URL of the service's database, which leads through HAProxy to the primary. */
  readonly databaseUrl: string
  /** The URL of a server itself. */
  urlOf(node: ComposeNode): string
  /** Runs commands of a document, in which `docker compose` manages these servers. @throws Error if one of them fails. */
  run(commands: string): Promise<string>
  /** Kills a server and all its child processes with SIGKILL. */
  kill(node: ComposeNode): Promise<void>
  /** The metrics of HAProxy. */
  metrics(): Promise<string>
  stop(): Promise<void>
}

const files = `${root}deploy/ha`
const secrets = {
  POSTGRES_PASSWORD: 'owner',
  POSTGRES_APP_PASSWORD: 'app',
  POSTGRES_REPLICATION_PASSWORD: 'replication',
}
const haproxyProgram = '/usr/sbin/haproxy'

/** Prepares the servers. The commands of docs/high-availability.md start them. */
export async function makeComposePair(): Promise<ComposePair> {
  const folder = await mkdtemp('/tmp/hosting-pair-')
  const user = await findServerUser('/tmp')
  const programs = await getMachinePostgres('/tmp')
  await requireDebianProgram(haproxyProgram, 'haproxy')
  const ports = {
    proxy: await freePort(),
    state: await freePort(),
    postgres: await freePort(),
    postgres2: await freePort(),
  }
  await copyFiles(folder, ports)
  const path = [programs.folder, folder, process.env['PATH']].join(':')
  const nodes = await Promise.all(
    (['postgres', 'postgres2'] as const).map(
      async (name) => [name, await toService(name, { folder, path, ports })] as const,
    ),
  )
  const services = { ...Object.fromEntries(nodes), database: toHaproxy(folder, ports.state) }
  const state: ComposeState = { folder, user, services }
  await writeFile(join(folder, 'state.json'), JSON.stringify(state))
  const docker = `#!/bin/sh\nexec ${process.execPath} ${root}test/ha/support/compose/docker.ts ${folder}/state.json "$@"\n`
  await writeFile(join(folder, 'docker'), docker)
  await chmod(join(folder, 'docker'), 0o755)
  if (user) await own(folder, user)
  const run = (commands: string) => runShell(commands, folder, { PATH: path, LC_ALL: 'C' })
  const pidOf = async (name: string) => Number(await readFile(join(folder, `${name}.pid`), 'utf8'))
  const toUrl = (port: number) =>
    `postgresql://postgres:${secrets.POSTGRES_PASSWORD}@127.0.0.1:${port}/hosting_control`
  return {
    databaseUrl: toUrl(ports.proxy),
    urlOf: (node) => toUrl(ports[node]),
    run,
    kill: async (node) => killAll(await pidOf(node)),
    metrics: async () => (await fetch(`http://127.0.0.1:${ports.state}/metrics`)).text(),
    async stop() {
      await run('docker compose stop')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Ports = Readonly<Record<ComposeNode | 'proxy' | 'state', number>>

/** The files of deploy/ha; only addresses change, and how the socket knows its user. */
async function copyFiles(folder: string, ports: Ports): Promise<void> {
  const edit = async (
    name: string,
    changes: readonly (readonly [string, string])[],
  ): Promise<void> => {
    let text = await readFile(join(files, name), 'utf8')
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${name} does not contain ${from}`)
      text = text.replaceAll(from, to)
    }
    await writeFile(join(folder, name), text)
  }
  for (const name of ['node.sh', 'roles.sh', 'postgresql.conf'])
    await cp(join(files, name), join(folder, name))
  await cp(
    `${root}test/ha/support/compose/docker-entrypoint.sh`,
    join(folder, 'docker-entrypoint.sh'),
  )
  await chmod(join(folder, 'docker-entrypoint.sh'), 0o755)
  // The container's user is postgres; that of a test is not, unless it is started by root.
  await edit('pg_hba.conf', process.getuid?.() === 0 ? [] : [['peer', 'trust']])
  await edit('haproxy.cfg', [
    ['bind :5432', `bind 127.0.0.1:${ports.proxy}`],
    ['bind :8404', `bind 127.0.0.1:${ports.state}`],
    ['postgres:5432', `127.0.0.1:${ports.postgres}`],
    ['postgres2:5432', `127.0.0.1:${ports['postgres2']}`],
  ])
}

async function toService(
  name: ComposeNode,
  { folder, path, ports }: { folder: string; path: string; ports: Ports },
): Promise<ServiceState> {
  const { services } = parse(await readFile(join(files, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as Compose
  const { entrypoint, command, environment } = services[name]!
  const given = Object.entries(environment!).map(([key, value]) => [
    key,
    interpolate(String(value), secrets),
  ])
  const socket = join(folder, `${name}.socket`)
  await mkdir(socket)
  const { PRIMARY, ...others } = Object.fromEntries(given) as Record<string, string>
  return {
    entrypoint: entrypoint!.map((word) => word.replace('/ha/', `${folder}/`)),
    command: command!,
    environment: {
      PATH: path,
      LC_ALL: 'C',
      ...others,
      PRIMARY: PRIMARY!.replace(
        'host=postgres,postgres2 port=5432,5432',
        `host=127.0.0.1,127.0.0.1 port=${ports.postgres},${ports.postgres2}`,
      ),
      PGDATA: join(folder, name),
      PGHOST: socket,
      PGPORT: String(ports[name]),
      ROLES: join(folder, 'roles.sh'),
      // Of the file in the root of the repository.
      ...(name === 'postgres'
        ? { POSTGRES_DB: 'hosting_control', POSTGRES_PASSWORD: secrets.POSTGRES_PASSWORD }
        : {}),
    },
    healthcheck: ['pg_isready', '--quiet'],
  }
}

const toHaproxy = (folder: string, statePort: number): ServiceState => ({
  entrypoint: [haproxyProgram],
  command: ['-f', join(folder, 'haproxy.cfg')],
  environment: { PATH: process.env['PATH'] ?? '' },
  healthcheck: [
    'bash',
    '-c',
    `exec 3<>/dev/tcp/127.0.0.1/${statePort} && printf 'GET /ready HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q ' 200 ' <&3`,
  ],
})

async function own(folder: string, { uid, gid }: SystemUser): Promise<void> {
  const names = await readdir(folder)
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    await chown(path, uid, gid)
  }
}
