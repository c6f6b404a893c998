import { loadConfig } from '@hosting/core/configuration'
import { expect, test } from '@jest/globals'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { root, runTool } from '../../tools/run.ts'
import * as chart from '../support/chart.ts'
import type { Manifest } from '../support/chart.ts'
import { needing } from '../support/needing.ts'

const { describe: describeChart } = needing('Helm', chart.helm !== undefined)
const { manifests, said } = chart.helm
  ? chart.render(chart.fullValues)
  : { manifests: [], said: '' }
const secrets = chart.exampleSecrets()
const ofKind = (kind: string): Manifest[] => manifests.filter((each) => each.kind === kind)
const named = (kind: string, name: string): Manifest =>
  ofKind(kind).find(({ metadata }) => metadata.name === name)
const containerOf = ({ spec }: Manifest): Manifest => spec.template.spec.containers[0]
const processes = ['api', 'worker'] as const
const workloads = [
  ['Deployment', 'hosting-api'],
  ['Deployment', 'hosting-worker'],
  ['Job', 'hosting-migrate'],
] as const
const libraries: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
}

/** Compiles the manifests as values of the types of Kubernetes and its extensions, which refuse unknown members. */
function checkTypes(values: readonly Manifest[]): string {
  const text = values.map((value, index) => {
    const [version, group] = value.apiVersion.split('/').toReversed()
    const library = libraries[group] ?? 'kubernetes-models'
    const path = [library, group, version, value.kind].filter(Boolean).join('/')
    return (
      `import type { I${value.kind} as T${index} } from '${path}'\n` +
      `export const m${index}: T${index} = ${JSON.stringify(value)}\n`
    )
  })
  const directory = `${root}.cache/kubernetes`
  mkdirSync(directory, { recursive: true })
  const file = `${directory}/manifests-${process.pid}.ts`
  writeFileSync(file, text.join(''))
  try {
    const flags =
      '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2024'
    return runTool('tsc', [...flags.split(' '), file])
  } catch (error) {
    return (error as Error).message
  } finally {
    rmSync(file)
  }
}

/** The variables of a process, and where each comes from: its ConfigMap, its Secret or its own list. */
function variablesOf(kind: string, name: string): Readonly<Record<string, string>> {
  const { envFrom, env = [] } = containerOf(named(kind, name))
  const maps = envFrom.map(({ configMapRef, secretRef }: Manifest) =>
    configMapRef
      ? named('ConfigMap', configMapRef.name).data
      : secrets.find(({ metadata }) => metadata.name === secretRef.name).stringData,
  )
  const own = Object.fromEntries(env.map(({ name: each, value }: Manifest) => [each, value]))
  return Object.assign({}, ...maps, own)
}

describeChart('the Helm chart', () => {
  test('renders, and Helm finds nothing wrong with it', () => {
    expect(said).toBe('')
    expect(chart.lint(chart.fullValues)).toBe('')
    expect(chart.lint(chart.leastValues)).toBe('')
  })

  test('matches the types of Kubernetes, KEDA and the Prometheus Operator', () => {
    expect(manifests.length).toBeGreaterThan(18)
    expect(checkTypes([...manifests, ...secrets])).toBe('')
  })

  test('the check detects a misspelled or mistyped member', () => {
    const wrong = structuredClone(named('Deployment', 'hosting-api'))
    wrong.spec.template.spec.terminationGracePeriodSeconds = 'thirty'
    containerOf(wrong).readinesProbe = {}
    const monitor = structuredClone(named('PodMonitor', 'hosting-api'))
    monitor.spec.podMetricsEndpoints[0].intervall = '15s'
    const errors = checkTypes([wrong, monitor])
    expect(errors).toContain("'string' is not assignable to type 'number'")
    expect(errors).toContain('\'"readinesProbe"\' does not exist')
    expect(errors).toContain('\'"intervall"\' does not exist')
  })

  test('installs with nothing but PUBLIC_URL, on a cluster without extensions', () => {
    const { manifests: least } = chart.render(chart.leastValues)
    const versions = new Set(least.map(({ apiVersion }) => String(apiVersion).split('/')[0]))
    expect([...versions].toSorted()).toEqual(
      ['apps', 'autoscaling', 'batch', 'networking.k8s.io', 'policy', 'v1'].toSorted(),
    )
    expect(chart.render({}).said).toContain("at '/settings/shared/PUBLIC_URL'")
  })

  test('refuses a value that does not exist', () => {
    const withTypo = {
      settings: { ...chart.leastValues.settings, api: { OIDC_ISUER: 'https://x' } },
    }
    expect(chart.render(withTypo).said).toContain("'OIDC_ISUER' not allowed")
    const nested = { ...chart.leastValues, monitoring: { rules: { enable: true } } }
    expect(chart.render(nested).said).toContain("'enable' not allowed")
  })

  test('has the version of the service', () => {
    const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
    const text = readFileSync(`${root}deploy/helm/hosting-control/Chart.yaml`, 'utf8')
    expect(parse(text)).toMatchObject({ version, appVersion: version })
  })

  test('contains no namespace and no secret', () => {
    for (const { metadata } of manifests) expect(metadata.namespace).toBeUndefined()
    expect(ofKind('Secret')).toEqual([])
    const values = secrets.flatMap(({ stringData }) => Object.values(stringData))
    expect(values.filter((value) => value !== '')).toEqual([])
  })

  test('every name begins with that of the release, so that several fit into a namespace', () => {
    const { manifests: others } = chart.render(chart.fullValues, 'acme')
    expect(others.filter(({ metadata }) => !metadata.name.startsWith('acme-'))).toEqual([])
    expect(others).toHaveLength(manifests.length)
  })
})

describeChart('the settings', () => {
  test.each(processes)('%s gets every setting that it reads, and no others', (process) => {
    const given = variablesOf('Deployment', `hosting-${process}`)
    const { OTEL_SERVICE_NAME, ...read } = given
    expect(OTEL_SERVICE_NAME).toBe('hosting')
    expect(Object.keys(read).toSorted()).toEqual(chart.variablesOf(process))
    for (const variable of Object.keys({
      ...chart.chartSettings['shared'],
      ...chart.chartSettings[process],
    })) {
      if (/OWN_NETWORKS|START_TIMEOUT/.test(variable)) continue
      expect(read[variable]).toBe(chart.exampleOf(variable))
    }
  })

  test.each(processes)('%s gets the secrets that it reads, and no others', (process) => {
    const { envFrom } = containerOf(named('Deployment', `hosting-${process}`))
    const { secretRef } = envFrom[1]
    const { stringData } = secrets.find(({ metadata }) => metadata.name === secretRef.name)
    const { data } = named('ConfigMap', envFrom[0].configMapRef.name)
    const plain = new Set(Object.keys(data))
    expect(Object.keys(stringData).toSorted()).toEqual(
      chart.variablesOf(process).filter((variable) => !plain.has(variable)),
    )
    expect('AUDIT_KEY' in stringData).toBe(process === 'worker')
    expect('INTERNAL_TOKENS' in stringData).toBe(process === 'api')
  })

  test("the migration gets the owner's URL, the role and the role's password", () => {
    const given = variablesOf('Job', 'hosting-migrate')
    expect(Object.keys(given).toSorted()).toEqual(chart.variablesOf('migrate'))
    expect(given).toHaveProperty('DATABASE_APP_PASSWORD')
    expect(chart.defaults.settings.migrate.DATABASE_APP_ROLE).toBe('hosting_app')
  })

  test('what is left empty is the default of the service, which starts with it', () => {
    const { manifests: least } = chart.render(chart.leastValues)
    const { data } = least.find(({ metadata }) => metadata.name === 'hosting-api-settings')
    expect(data).toEqual({
      HOST: '0.0.0.0',
      PORT: '8080',
      INTERNAL_PORT: '9090',
      PUBLIC_URL: 'https://control.example.com',
    })
    const stores = { DATABASE_URL: 'postgresql://a@b/c', REDIS_URL: 'redis://d' }
    expect(loadConfig({ ...data, ...stores }).publicUrl).toBe('https://control.example.com')
  })

  test('numbers are written out, whatever their size, and null is a setting left empty', () => {
    const { manifests: rendered } = chart.render({
      settings: {
        shared: { ...chart.leastValues.settings.shared, OTEL_TRACES_SAMPLER_ARG: 0.25 },
        api: { SESSION_LIFETIME_SECONDS: 2_592_000, SESSION_IDLE_SECONDS: null },
        migrate: { DATABASE_APP_ROLE: 1_234_567 },
      },
      extraEnvironment: { OTEL_BSP_EXPORT_TIMEOUT: 3_000_000, OTEL_SERVICE_NAME: null },
    })
    const find = (name: string): Manifest => rendered.find(({ metadata }) => metadata.name === name)
    const { data } = find('hosting-api-settings')
    const stores = { DATABASE_URL: 'postgresql://a@b/c', REDIS_URL: 'redis://d' }
    expect(loadConfig({ ...data, ...stores }).sessionLifetimeMs).toBe(2_592_000_000)
    expect(data).toMatchObject({
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_BSP_EXPORT_TIMEOUT: '3000000',
    })
    expect(Object.values(data)).not.toContain('<nil>')
    const migrate = rendered.find(({ kind }) => kind === 'Job')
    expect(containerOf(migrate).env).toEqual([{ name: 'DATABASE_APP_ROLE', value: '1234567' }])
  })

  test('a changed setting restarts the pods', () => {
    const { manifests: least } = chart.render(chart.leastValues)
    const checksumIn = (of: Manifest[]): string =>
      of.find(({ kind }) => kind === 'Deployment').spec.template.metadata.annotations[
        'checksum/settings'
      ]
    expect(checksumIn(least)).toMatch(/^[0-9a-f]{64}$/)
    expect(checksumIn(least)).not.toBe(checksumIn(manifests))
  })
})

describeChart('the workloads', () => {
  test.each(workloads)(
    '%s %s runs as nobody, cannot write its image and has no privileges',
    (kind, name) => {
      const workload = named(kind, name)
      const { spec } = workload.spec.template
      expect(spec.automountServiceAccountToken).toBe(false)
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(containerOf(workload).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(containerOf(workload).resources.limits.memory).toBeDefined()
      expect(spec.imagePullSecrets).toEqual([{ name: 'registry' }])
    },
  )

  test('their images are targets of the Dockerfile, and contain what they run', () => {
    const commands = workloads.map(([kind, name]) => {
      const { image, command } = containerOf(named(kind, name))
      return [image, command[1]]
    })
    expect(commands).toEqual([
      ['registry.example.com/hosting-control:1.0.0', 'apps/api/dist/bundle/main.js'],
      ['registry.example.com/hosting-control:1.0.0', 'apps/worker/dist/bundle/main.js'],
      ['registry.example.com/hosting-control-operations:1.0.0', 'tools/migrate.ts'],
    ])
  })

  test.each(processes)('%s is probed at existing paths and the right port', (process) => {
    const container = containerOf(named('Deployment', `hosting-${process}`))
    const source = readFileSync(`${root}packages/process/src/health-routes.ts`, 'utf8')
    const ports = container.ports.map((port: Manifest) => port.name)
    for (const [probe, path] of [
      ['startupProbe', '/healthz'],
      ['livenessProbe', '/healthz'],
      ['readinessProbe', '/readyz'],
    ] as const) {
      expect(container[probe].httpGet.path).toBe(path)
      expect(source).toContain(`'${path}'`)
      expect(ports).toContain(container[probe].httpGet.port)
    }
    const { data } = named('ConfigMap', `hosting-${process}-settings`)
    for (const { name: port, containerPort } of container.ports) {
      expect(data[port === 'public' ? 'PORT' : 'INTERNAL_PORT']).toBe(String(containerPort))
    }
  })

  test.each(processes)('%s has enough time to start and to drain', (process) => {
    const source = readFileSync(`${root}packages/process/src/run-process.ts`, 'utf8')
    const drainSeconds = Number(/drainMsMax = (\d+)_000/.exec(source)![1])
    const deployment = named('Deployment', `hosting-${process}`)
    const { lifecycle, startupProbe } = containerOf(deployment)
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      drainSeconds + lifecycle.preStop.sleep.seconds,
    )
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBe(60 + 30)
  })

  test('the migration runs before every installation and upgrade, and replaces the last Job', () => {
    const { annotations } = named('Job', 'hosting-migrate').metadata
    expect(annotations).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    })
  })

  test('the migration has a deadline, for which the documented command waits', () => {
    const deadlineOf = (migration: object): number =>
      chart.render({ ...chart.leastValues, migration }).manifests.find(({ kind }) => kind === 'Job')
        .spec.activeDeadlineSeconds
    expect(deadlineOf({ deadlineSeconds: 7_200_000 })).toBe(7_200_000)
    const readme = readFileSync(`${root}deploy/helm/README.md`, 'utf8')
    const commands = [...readme.matchAll(/^helm upgrade .*(?:\\\n.*)*/gm)].map(([text]) => text)
    expect(commands).toHaveLength(1)
    const minutes = Number(/ --timeout (\d+)m/.exec(commands[0]!)?.[1])
    expect(minutes * 60).toBeGreaterThan(deadlineOf({}))
  })
})
