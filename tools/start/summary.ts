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
    ['API', `${facts.apiUrl}/api/v1`],
    ['Reference', `${facts.apiUrl}/docs`],
    ['Internal listener', `${facts.internalUrl}/internal/v1`],
    ['Worker', `${facts.workerUrl}/readyz`],
    ['Operations', `${facts.workerUrl}/operations`],
    ['Bull Board', `${facts.workerUrl}/queues`],
    ['Receiver', facts.receiverUrl],
    ['Mails', facts.mailFolder],
    ['PostgreSQL', withoutPassword(facts.databaseUrl)],
    ['Redis', facts.redisUrl.split(',').map(withoutPassword).join(', ')],
    ['Logs', '.local/api.log, .local/worker.log'],
    ['Secrets', '.local/start.json'],
    ['', ''],
    ['Sign-in', `${facts.email}  ${facts.password}`],
    ['API key', facts.apiKey],
    ['Operators', `any name  ${facts.opsToken}`],
  ]
  return [
    ...rows.map(([what, where]) => (what ? `  ${what.padEnd(18)} ${where}` : '')),
    '',
    `  curl -H 'Authorization: Bearer ${facts.apiKey}' ${facts.apiUrl}/api/v1/auth/me`,
  ].join('\n')
}

function withoutPassword(text: string): string {
  const { protocol, username, host, pathname } = new URL(text.trim())
  return `${protocol}//${username && `${username}@`}${host}${pathname}`
}
