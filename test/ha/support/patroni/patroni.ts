import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { requireDebianProgram } from '../../../../tools/local-stack/debian-package.ts'
import { freePort } from '../../../../tools/local-stack/free-port.ts'
import { findServerUser, type SystemUser } from '../../../../tools/local-stack/system-user.ts'
import { root } from '../../../../tools/run.ts'
import { killAll } from '../../../faults/system/killable-server.ts'
import { getMachinePostgres } from '../../../support/machine-postgres.ts'
import { readRunbook, blocksOf } from '../../../support/runbook.ts'
import { until } from '../../../support/until.ts'
import { runShell } from '../../../support/run-shell.ts'

/** The names of its servers. */
export const members = ['one', 'two'] as const
export type Member = (typeof members)[number]

/** Two PostgreSQL servers that Patroni manages, with etcd, and HAProxy with the configuration of deploy/ha for Patroni. */
export interface PatroniCluster {
  /** Through HAProxy. */
  readonly databaseUrl: string
  /** Waits until one member is the primary and the other its synchronous standby; returns the primary. */
  settled(): Promise<Member>
  /** Kills Patroni and PostgreSQL of a member with SIGKILL. */
  kill(member: Member): Promise<void>
  /** Starts Patroni of a member. */
  start(member: Member): Promise<void>
  /** Asks for a planned switchover. */
  switchOver(from: Member, to: Member): Promise<void>
  stop(): Promise<void>
}

const password = 'patroni'
const scope = 'hosting'
const patienceMs = 120_000

/** Starts everything. Debian's packages patroni, etcd-server and haproxy are installed if they are missing. */
export async function startPatroni(): Promise<PatroniCluster> {
  for (const [file, name] of Object.entries(packages)) {
    await requireDebianProgram(file, name)
  }
  const folder = await mkdtemp('/tmp/hosting-patroni-')
  const user = await findServerUser('/tmp')
  const { folder: programs } = await getMachinePostgres('/tmp')
  const ports = await makePorts()
  const programsOf = startPrograms(folder, programs, user)
  if (user) await chown(folder, user.uid, user.gid)
  programsOf.start('etcd', etcdCommand(folder, ports))
  const proxyFile = join(folder, 'haproxy.cfg')
  await writeFile(proxyFile, await haproxyConfig(ports))
  programsOf.start('haproxy', ['/usr/sbin/haproxy', '-db', '-f', proxyFile])

  const start = async (member: Member): Promise<void> => {
    const file = join(folder, `${member}.yml`)
    await writeFile(file, stringify(memberConfig(member, { folder, ports, programs })))
    programsOf.start(member, ['/usr/bin/patroni', file])
  }
  for (const member of members) await start(member)
  await settle(ports)
  await until(
    () => createDatabase(programsOf.environment, ports.proxy),
    (isDone) => isDone,
    patienceMs,
  )
  return {
    databaseUrl: `postgresql://postgres:${password}@127.0.0.1:${ports.proxy}/hosting_control`,
    settled: () => settle(ports),
    start,
    async kill(member) {
      const file = join(folder, member, 'postmaster.pid')
      const [postmaster] = (await readFile(file, 'utf8')).split('\n')
      programsOf.kill(member)
      await killAll(Number(postmaster))
    },
    async switchOver(from, to) {
      const body = JSON.stringify({ leader: from, candidate: to })
      const url = `http://127.0.0.1:${ports.rest[from]}/switchover`
      const response = await fetch(url, { method: 'POST', body })
      if (response.status !== 200) throw new Error(await response.text())
    },
    async stop() {
      await programsOf.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until one member is the primary and the other its synchronous standby; returns the primary. */
async function settle({ rest }: Ports): Promise<Member> {
  const read = () => readCluster(rest.one).catch(() => readCluster(rest.two))
  const all = await until(
    () => read().catch(() => []),
    (found) =>
      ['leader', 'sync_standby'].every((role) =>
        found.some((each) => each.role === role && isRunning(each)),
      ),
    patienceMs,
  )
  return all.find(({ role }) => role === 'leader')!.name
}

/** Starts programs, with their output in a folder. */
function startPrograms(folder: string, programs: string, user: SystemUser | undefined) {
  const environment = { PATH: `${programs}:${process.env['PATH']}`, LC_ALL: 'C' }
  const children = new Map<string, ChildProcess>()
  return {
    environment,
    start(name: string, [program, ...args]: readonly string[]): void {
      const log = openSync(join(folder, `${name}.log`), 'a')
      const options = { cwd: '/', env: environment, ...user }
      children.set(name, spawn(program!, args, { ...options, stdio: ['ignore', log, log] }))
    },
    kill: (name: string) => children.get(name)!.kill('SIGKILL'),
    /** Stops all, those first that were started last. */
    async stop(): Promise<void> {
      for (const child of [...children.values()].toReversed()) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
    },
  }
}

function etcdCommand(folder: string, ports: Ports): string[] {
  const [client, peer] = [ports.etcd, ports.etcdPeer].map((port) => `http://127.0.0.1:${port}`)
  const options = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    // Patroni 3.0 of Debian 12 uses it.
    'enable-v2': 'true',
  }
  return ['/usr/bin/etcd', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)]
}

const packages = {
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/haproxy': 'haproxy',
}

interface Ports {
  readonly etcd: number
  readonly etcdPeer: number
  readonly proxy: number
  readonly state: number
  readonly postgres: Readonly<Record<Member, number>>
  readonly rest: Readonly<Record<Member, number>>
}

async function makePorts(): Promise<Ports> {
  return {
    etcd: await freePort(),
    etcdPeer: await freePort(),
    proxy: await freePort(),
    state: await freePort(),
    postgres: { one: await freePort(), two: await freePort() },
    rest: { one: await freePort(), two: await freePort() },
  }
}

/** The configuration of a member. `synchronous_mode` keeps what was accepted. */
const memberConfig = (
  name: Member,
  { folder, ports, programs }: { folder: string; ports: Ports; programs: string },
): object => {
  const role = (username: string) => ({ username, password })
  return {
    scope,
    name,
    restapi: listenAt(ports.rest[name]),
    etcd: { host: `127.0.0.1:${ports.etcd}` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 300 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
    },
    postgresql: {
      ...listenAt(ports.postgres[name]),
      data_dir: join(folder, name),
      bin_dir: programs,
      pgpass: join(folder, `${name}.pgpass`),
      pg_hba: [
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication all 127.0.0.1/32 scram-sha-256',
        'local all all trust',
      ],
      authentication: {
        superuser: role('postgres'),
        replication: role('replication'),
        rewind: role('rewinding'),
      },
      parameters: { unix_socket_directories: folder, timezone: 'UTC' },
    },
  }
}

const listenAt = (port: number) => ({
  listen: `127.0.0.1:${port}`,
  connect_address: `127.0.0.1:${port}`,
})

/** deploy/ha/haproxy.cfg, changed as docs/high-availability.md describes for Patroni. */
async function haproxyConfig(ports: Ports): Promise<string> {
  const [check] = blocksOf(readRunbook('high-availability'), 'haproxy')
  const text = await readFile(`${root}deploy/ha/haproxy.cfg`, 'utf8')
  return text
    .replaceAll(/^ *(option tcp-check|tcp-check .*)\n/gm, '')
    .replace('listen postgres\n', `listen postgres\n${check}`)
    .replace('bind :5432', `bind 127.0.0.1:${ports.proxy}`)
    .replace('bind :8404', `bind 127.0.0.1:${ports.state}`)
    .replace('postgres:5432', `127.0.0.1:${ports.postgres.one} port ${ports.rest.one}`)
    .replace('postgres2:5432', `127.0.0.1:${ports.postgres.two} port ${ports.rest.two}`)
}

interface ClusterMember {
  readonly name: Member
  readonly role: string
  readonly state: string
}

async function readCluster(port: number): Promise<readonly ClusterMember[]> {
  const response = await fetch(`http://127.0.0.1:${port}/cluster`, {
    signal: AbortSignal.timeout(2_000),
  })
  return ((await response.json()) as { members: ClusterMember[] }).members
}

const isRunning = ({ state }: ClusterMember): boolean =>
  state === 'running' || state === 'streaming'

const createDatabase = (
  environment: Readonly<Record<string, string>>,
  port: number,
): Promise<boolean> =>
  runShell(
    `psql "host=127.0.0.1 port=${port} user=postgres password=${password} dbname=postgres" -c 'CREATE DATABASE hosting_control'`,
    '/',
    environment,
  ).then(
    () => true,
    () => false,
  )
