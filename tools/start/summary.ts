import type { Servers } from './servers.ts'
import type { Services } from './services.ts'

interface Facts extends Servers, Services {
  readonly receiverUrl: string
  readonly mailFolder: string
  readonly email: string
  readonly password: string
  readonly apiKey: string
  readonly opsToken: string
}

/** The lines that tell a user how to use the system. */
export function summarize(facts: Facts): string {
  const rows: [what: string, where: string][] = [
    ['Panel', facts.apiUrl],
    ['Sign-in', `${facts.email}  ${facts.password}`],
    ['API', `${facts.apiUrl}/api/v1`],
    ['API key', facts.apiKey],
    ['Documentation', `${facts.apiUrl}/docs`],
    ['', ''],
    ['Operations', `${facts.workerUrl}/operations`],
    ['Queues', `${facts.workerUrl}/queues`],
    ['Operator sign-in', `any user name, password ${facts.opsToken}`],
    ['Internal API', `${facts.internalUrl}/internal/v1 (service token: .local/start.json)`],
    ['Worker', `${facts.workerUrl}/readyz`],
    ['PostgreSQL', psqlCommand(facts)],
    ['Redis', facts.redisUrl.split(',').map(withoutPassword).join(', ')],
    ['', ''],
    ['Receiver', `${facts.receiverUrl} (an endpoint of the demo organization, prints below)`],
    ['Mail', `${facts.mailFolder} (nothing is sent)`],
    ['Logs', '.local/api.log, .local/worker.log'],
  ]
  return [
    ...rows.map(([what, where]) => (what ? `  ${what.padEnd(18)} ${where}` : '')),
    '',
    `  curl -H 'Authorization: Bearer ${facts.apiKey}' ${facts.apiUrl}/api/v1/auth/me`,
  ].join('\n')
}

/** The command that opens the database. Passwords stay in their files and variables. */
export function psqlCommand({
  databaseUrl,
  passwordFile,
}: Pick<Servers, 'databaseUrl' | 'passwordFile'>): string {
  if (passwordFile === undefined) return 'psql "$DATABASE_URL"'
  const quoted = `'${passwordFile.replaceAll("'", String.raw`'\''`)}'`
  return `PGPASSWORD=$(cat ${quoted}) psql ${withoutPassword(databaseUrl)}`
}

/** The port that the documentation names. */
const documentedPort = '8080'

/** The lines that say what to do with the running system. */
export function nextSteps(apiUrl: string): string {
  const { hostname, port } = new URL(apiUrl)
  const isDocumented = port === documentedPort
  return [
    'Everything is running. In a second terminal, in this folder:',
    '',
    `  export HCTL_URL=${apiUrl}`,
    '  npx hctl login',
    '  npm run publish-event -- backup.failed',
    '',
    ...(isDocumented
      ? []
      : [
          'The port is not 8080, which the README names, because 8080 was in use when this port was chosen.',
          'To choose again at the next start: rm .local/api.port',
          '',
        ]),
    hostname === 'localhost'
      ? 'The panel is at localhost, for which browsers allow passkeys.'
      : 'Passkeys do not work: browsers refuse them for an IP address, and localhost does not resolve to 127.0.0.1 here.',
    '',
    'Ctrl-C stops everything. The data stays in .local; rm -rf .local deletes it.',
  ].join('\n')
}

function withoutPassword(text: string): string {
  const { protocol, username, host, pathname } = new URL(text.trim())
  return `${protocol}//${username && `${username}@`}${host}${pathname}`
}
