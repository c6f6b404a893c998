import { settings, type Setting, type SettingReader } from '@hosting/core/configuration'
import { noticeOf } from './format.ts'

const all: readonly Setting<unknown>[] = Object.values(settings)

const meaningOfUnset = (setting: Setting<unknown>): string => {
  if ('required' in setting) return 'required'
  if (setting.fallback !== undefined)
    return setting.fallback === '' ? 'none' : `\`${setting.fallback}\``
  return setting.unset ?? 'none'
}

const readersOf = ({ readBy }: Setting<unknown>): string =>
  readBy === undefined ? 'API, worker' : readers[readBy]

const readers: Readonly<Record<SettingReader, string>> = {
  api: 'API',
  worker: 'worker',
  migrate: '`npm run migrate`',
}

/** docs/generated/configuration.md */
export const configurationDocument =
  (): string => `${noticeOf('packages/core/src/configuration/settings.ts')}# Configuration

The processes read their configuration only from the environment, and accept all variables. A missing or invalid value
stops a process at start, and one message lists every error. Give each process only the secrets that it reads:
[docker-compose.yml](../../docker-compose.yml) and [the Helm chart](../../deploy/helm/README.md) do.

| Variable | Meaning | If unset | Read by |
| --- | --- | --- | --- |
${all.map((setting) => `| \`${setting.variable}\` | ${setting.summary} | ${meaningOfUnset(setting)} | ${readersOf(setting)} |`).join('\n')}

\`UV_THREADPOOL_SIZE\` is a setting of Node.js. Each password hash of the API, and each lookup of a name that DNS does not know, occupies
one of its threads. Both processes run with 64 threads, and with \`NODE_OPTIONS=--max-semi-space-size=8\`, which keeps
their memory small (tools/process-environment.ts).
`

/** .env.example */
export const environmentExample = (): string =>
  `# Made by \`npm run generate\`. Copy to .env and fill in; see docs/generated/configuration.md.\n\n${all
    .map((setting) => `${comment(setting)}\n${assignment(setting)}\n`)
    .join('\n')}`

const comment = (setting: Setting<unknown>): string =>
  `# ${setting.summary.replaceAll('`', '')}${'required' in setting ? ' Required.' : ''}`

const assignment = (setting: Setting<unknown>): string =>
  'required' in setting ? `${setting.variable}=` : `# ${setting.variable}=${setting.fallback ?? ''}`
