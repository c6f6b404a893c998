import { parsesSecret, settings, type Setting } from '@hosting/core/configuration'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { root, runTool } from '../../tools/run.ts'
import { kustomization, manifests, readManifests, type Manifest } from '../support/manifests.ts'
import { settingsReadBy } from '../support/settings.ts'

const secrets = readManifests('secret.example.yaml')
const ofKind = (kind: string): Manifest[] => manifests.filter((each) => each.kind === kind)
const named = (kind: string, name: string): Manifest =>
  ofKind(kind).find(({ metadata }) => metadata.name === name)
const workloads = [...ofKind('Deployment'), ...ofKind('Job')]
const containerOf = ({ spec }: Manifest): Manifest => spec.template.spec.containers[0]
const variables = Object.values(settings).map(({ variable }): string => variable)
const processes = ['api', 'worker'] as const
const secretOf = (name: string): Manifest => secrets.find(({ metadata }) => metadata.name === name)

/** Compiles the manifests as values of Kubernetes' own types, which refuse unknown members. */
function checkTypes(values: readonly Manifest[]): string {
  const text = values.map((value, index) => {
    const [version, group] = value.apiVersion.split('/').toReversed()
    const library = group?.startsWith('keda') ? '@kubernetes-models/keda' : 'kubernetes-models'
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

describe('the manifests', () => {
  test('match the types of Kubernetes and KEDA', () => {
    expect(manifests.length).toBeGreaterThan(12)
    expect(checkTypes([...manifests, ...secrets])).toBe('')
  })

  test('the check detects a misspelled or mistyped member', () => {
    const wrong = structuredClone(named('Deployment', 'hosting-api'))
    wrong.spec.replicas = 'two'
    containerOf(wrong).readinesProbe = {}
    const said = checkTypes([wrong])
    expect(said).toContain("'string' is not assignable to type 'number'")
    expect(said).toContain('\'"readinesProbe"\' does not exist')
  })

  test('have no namespace and no secret', () => {
    for (const { metadata } of manifests) expect(metadata.namespace).toBeUndefined()
    expect(ofKind('Secret')).toEqual([])
    const values = secrets.flatMap(({ stringData }) => Object.values(stringData))
    expect(values.filter((value) => value !== '')).toEqual([])
  })
})

describe('the workloads', () => {
  test.each(workloads.map((each) => [each.metadata.name, each]))(
    '%s runs as nobody, cannot write its image and has no privileges',
    (_name, workload) => {
      const { spec } = workload.spec.template
      const { securityContext } = containerOf(workload)
      expect(spec.automountServiceAccountToken).toBe(false)
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(containerOf(workload).resources.limits.memory).toBeDefined()
    },
  )

  test('their images are targets of the Dockerfile, and contain what they run', () => {
    const commands = workloads.map((each) => [
      containerOf(each).image,
      containerOf(each).command[1],
    ])
    expect(commands).toEqual([
      ['hosting-control', 'apps/api/dist/main.js'],
      ['hosting-control', 'apps/worker/dist/main.js'],
      ['hosting-control-operations', 'tools/migrate.ts'],
    ])
    expect(kustomization.images.map(({ name }: Manifest) => name)).toEqual([
      'hosting-control',
      'hosting-control-operations',
    ])
  })

  test.each(['hosting-api', 'hosting-worker'])(
    '%s is probed at existing paths and the right port',
    (name) => {
      const container = containerOf(named('Deployment', name))
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
      const { data } = named('ConfigMap', 'hosting-config')
      for (const { name: port, containerPort } of container.ports) {
        const variable = port === 'public' ? 'PORT' : 'INTERNAL_PORT'
        expect(data[variable]).toBe(String(containerPort))
      }
    },
  )

  test.each(['hosting-api', 'hosting-worker'])('%s has enough time to drain', (name) => {
    const source = readFileSync(`${root}packages/process/src/run-process.ts`, 'utf8')
    const drainSeconds = Number(/drainMsMax = (\d+)_000/.exec(source)![1])
    const deployment = named('Deployment', name)
    const { seconds } = containerOf(deployment).lifecycle.preStop.sleep
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      drainSeconds + seconds,
    )
  })

  test.each(processes)('%s gets the secrets that it reads, and no others', (process) => {
    const [config, secret] = containerOf(named('Deployment', `hosting-${process}`)).envFrom
    expect(config.configMapRef.name).toBe('hosting-config')
    expect(secret.secretRef.name).toBe(`hosting-${process}-secrets`)
    const held = Object.keys(secretOf(secret.secretRef.name).stringData)
    const read = settingsReadBy(process).filter(
      ({ variable, parse }) => parsesSecret(parse) || variable === 'INTERNAL_TOKENS',
    )
    expect(held.toSorted()).toEqual(read.map(({ variable }) => variable).toSorted())
  })

  test('every other variable is a setting that is not secret, and every required one is given', () => {
    const { data } = named('ConfigMap', 'hosting-config')
    const own = workloads.flatMap((each) => containerOf(each).env ?? [])
    const set = own.filter(({ value }) => value !== undefined)
    const plain = [...Object.keys(data), ...set.map(({ name }) => name)]
    const secret = Object.values<Setting<unknown>>(settings).filter(({ parse }) =>
      parsesSecret(parse),
    )
    for (const each of plain) {
      expect(variables).toContain(each)
      expect(secret.map(({ variable }) => variable)).not.toContain(each)
    }
    for (const { valueFrom } of own.filter((each) => each.valueFrom)) {
      const { name, key } = valueFrom.secretKeyRef
      expect(Object.keys(secretOf(name).stringData)).toContain(key)
    }
    for (const process of processes) {
      const { stringData } = secretOf(`hosting-${process}-secrets`)
      const given = new Set([...plain, ...Object.keys(stringData)])
      const required = settingsReadBy(process).filter((setting) => 'required' in setting)
      expect(required.filter(({ variable }) => !given.has(variable))).toEqual([])
    }
  })
})

describe('pod selectors', () => {
  let labels: string[]
  beforeAll(() => {
    labels = workloads.map((each) => JSON.stringify(each.spec.template.metadata.labels))
  })

  test('match pods', () => {
    const selectors = [
      ...ofKind('Deployment').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind('Service').map(({ spec }) => spec.selector),
      ...ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind('NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
    ]
    expect(selectors).toHaveLength(15)
    for (const selector of selectors) expect(labels).toContain(JSON.stringify(selector))
  })

  test('both deployments have two pods, a budget that allows one disruption, and a matching scaler', () => {
    for (const { metadata, spec } of ofKind('Deployment')) {
      const budget = named('PodDisruptionBudget', metadata.name)
      expect(spec.replicas).toBeGreaterThan(budget.spec.minAvailable)
    }
    expect(named('HorizontalPodAutoscaler', 'hosting-api').spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'hosting-api' },
      minReplicas: 2,
    })
    expect(named('ScaledObject', 'hosting-worker').spec).toMatchObject({
      scaleTargetRef: { name: 'hosting-worker' },
      minReplicaCount: 2,
    })
  })

  test('workers scale by existing metrics', () => {
    const { query } = named('ScaledObject', 'hosting-worker').spec.triggers[0].metadata
    const source = readFileSync(`${root}apps/worker/src/metrics.ts`, 'utf8')
    const metrics = String(query).match(/hosting_\w+/g)!
    expect(metrics).toHaveLength(2)
    for (const metric of metrics) expect(source).toContain(`'${metric}'`)
  })

  test('the Ingress leads only to the public port', () => {
    const [{ spec }] = ofKind('Ingress')
    const { service } = spec.rules[0].http.paths[0].backend
    expect(spec.rules[0].http.paths).toHaveLength(1)
    expect(service).toEqual({ name: 'hosting-api', port: { name: 'public' } })
    expect(named('Service', 'hosting-api').spec.ports).toEqual([
      { name: 'public', port: 80, targetPort: 'public' },
    ])
    expect(spec.tls[0].hosts).toEqual([spec.rules[0].host])
  })
})
