import { settings } from '@hosting/core'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { root, runTool } from '../../tools/run.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- manifests of any kind
type Manifest = any

const folder = `${root}deploy/kubernetes`
const readManifests = (file: string): Manifest[] =>
  parseAllDocuments(readFileSync(`${folder}/${file}`, 'utf8')).map((document) => document.toJSON())

const [kustomization] = readManifests('kustomization.yaml')
const manifests: Manifest[] = kustomization.resources.flatMap(readManifests)
const [secret] = readManifests('secret.example.yaml')
const ofKind = (kind: string): Manifest[] => manifests.filter((each) => each.kind === kind)
const named = (kind: string, name: string): Manifest =>
  ofKind(kind).find(({ metadata }) => metadata.name === name)
const workloads = [...ofKind('Deployment'), ...ofKind('Job')]
const containerOf = ({ spec }: Manifest): Manifest => spec.template.spec.containers[0]
const variables = new Set(Object.values(settings).map(({ variable }) => variable))

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
    expect(checkTypes([...manifests, secret])).toBe('')
  })

  test('a misspelled or mistyped member is detected', () => {
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
    expect(Object.values(secret.stringData).filter((value) => value !== '')).toEqual([])
  })
})

describe('the workloads', () => {
  test.each(workloads.map((each) => [each.metadata.name, each]))(
    '%s runs as nobody, writes nothing and has no privileges',
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

  test('every variable is a setting, and every required one is given', () => {
    const { data } = named('ConfigMap', 'hosting-config')
    const given = [...Object.keys(data), ...Object.keys(secret.stringData)]
    expect(given.filter((name) => !variables.has(name))).toEqual([])
    const required = Object.values(settings).filter((setting) => 'required' in setting)
    expect(required.filter(({ variable }) => !given.includes(variable))).toEqual([])
    const own = workloads.flatMap((each) => containerOf(each).env ?? [])
    expect(own.filter(({ name }) => !variables.has(name))).toEqual([])
    for (const { valueFrom } of own.filter((each) => each.valueFrom)) {
      expect(Object.keys(secret.stringData)).toContain(valueFrom.secretKeyRef.key)
    }
    const sources = ofKind('Deployment').flatMap((each) => containerOf(each).envFrom)
    for (const { configMapRef, secretRef } of sources) {
      expect(configMapRef?.name ?? secretRef.name).toBe(
        configMapRef ? 'hosting-config' : secret.metadata.name,
      )
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
    expect(selectors).toHaveLength(10)
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

  test('workers scale by metrics that exist', () => {
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

  test('no policy allows ingress from everywhere, or egress of workers to private networks', () => {
    for (const { spec } of ofKind('NetworkPolicy')) {
      expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
      for (const { from } of spec.ingress ?? []) expect(from.length).toBeGreaterThan(0)
    }
    const world = named('NetworkPolicy', 'hosting-worker').spec.egress.at(-1).to
    const [four, six] = world.map(({ ipBlock }: Manifest) => ipBlock)
    expect(four.cidr).toBe('0.0.0.0/0')
    for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']) {
      expect(four.except).toContain(range)
    }
    expect(six.except).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']))
  })
})
