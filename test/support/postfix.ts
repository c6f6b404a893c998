import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../tools/local-stack/free-port.ts'
import type { Certificates } from './certificates.ts'

const run = promisify(execFile)
const program = '/usr/sbin/postfix'

/** Whether a Postfix of Debian can be started, which only root may. */
export const canStartPostfix = (): boolean => existsSync(program) && process.getuid?.() === 0

/** A Postfix with a configuration, queue and log of its own. */
export interface Postfix {
  readonly url: string
  readLog(): Promise<string>
  close(): Promise<void>
}

/** What a Postfix under test does. */
export interface PostfixOptions {
  readonly certificates: Certificates
  /** The port of 127.0.0.1 to which it relays what it takes. */
  readonly relaysTo: number
  /** The responses to recipients that it refuses. */
  readonly refuses: Readonly<Record<string, string>>
}

/** Starts a Postfix on a free port of 127.0.0.1. It offers STARTTLS, as Debian's default configuration does. */
export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  const folder = await mkdtemp(join(tmpdir(), 'postfix-'))
  // Its processes run as the user `postfix`.
  await chmod(folder, 0o755)
  const port = await freePort()
  await Promise.all(['config', 'queue', 'data'].map((name) => mkdir(join(folder, name))))
  const config = join(folder, 'config')
  const log = join(folder, 'mail.log')
  await run('chown', ['postfix', join(folder, 'data')])
  await writeFile(join(config, 'certificate.pem'), options.certificates.cert)
  await writeFile(join(config, 'key.pem'), options.certificates.key)
  await writeFile(join(config, 'main.cf'), mainOf(folder, options))
  await writeFile(join(config, 'master.cf'), masterOf(port))
  const postfix = (command: string) => run(program, ['-c', config, command])
  await postfix('start')
  return {
    url: `smtp://127.0.0.1:${port}`,
    readLog: () => readFile(log, 'utf8'),
    async close() {
      await postfix('stop')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const mainOf = (folder: string, { relaysTo, refuses }: PostfixOptions): string => {
  const refused = Object.entries(refuses).map(([address, text]) => `{ ${address} = ${text} }`)
  return `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = ${folder}/mail.log
maillog_file_prefixes = ${folder}
myhostname = relay.test
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination =
alias_maps =
alias_database =
mynetworks = 127.0.0.0/8
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${folder}/config/certificate.pem
smtpd_tls_key_file = ${folder}/config/key.pem
smtpd_tls_received_header = yes
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions = check_recipient_access inline:{ ${refused.join(', ')} }, permit_mynetworks, reject
relayhost = [127.0.0.1]:${relaysTo}
`
}

/** The services of Debian's master.cf that a relay needs, without chroot. */
const masterOf = (port: number): string => `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`
