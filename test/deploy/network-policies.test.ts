import { settings, type Setting } from '@hosting/core/configuration'
import { describe, expect, test } from '@jest/globals'
import { settingsReadBy } from '../support/settings.ts'
import { manifests, readManifests, type Manifest } from '../support/manifests.ts'

const ofKind = (kind: string): Manifest[] => manifests.filter((each) => each.kind === kind)
const named = (kind: string, name: string): Manifest =>
  ofKind(kind).find(({ metadata }) => metadata.name === name)
const workloads = [...ofKind('Deployment'), ...ofKind('Job')]
const processes = ['api', 'worker'] as const

describe('the network policies', () => {
  /** The settings of a process whose hosts no policy allows its pods to reach. */
  const unreachable = (process: (typeof processes)[number], read = settingsReadBy(process)) => {
    const { labels } = named('Deployment', `hosting-${process}`).spec.template.metadata
    const policies = ofKind('NetworkPolicy').filter(
      ({ spec }) => JSON.stringify(spec.podSelector.matchLabels) === JSON.stringify(labels),
    )
    const allowed = new Set(policies.flatMap(settingsOf))
    const hosts = read.filter(({ namesHost }) => namesHost).map(({ variable }) => variable)
    return hosts.filter((variable) => !allowed.has(variable))
  }
  const settingsOf = ({ metadata }: Manifest): string[] =>
    metadata.annotations?.['hosting-control/settings'].split(' ') ?? []

  test.each(processes)('%s can reach every host that a setting of it names', (process) => {
    expect(unreachable(process)).toEqual([])
  })

  test('every setting that contains a URL of another service is checked', () => {
    const own = ['PUBLIC_URL', 'SUPPORT_URL']
    const urls = Object.values<Setting<unknown>>(settings).filter(({ variable }) =>
      /_(URL|ISSUER|ENDPOINT)$/.test(variable),
    )
    const unmarked = urls.filter(({ namesHost }) => !namesHost).map(({ variable }) => variable)
    expect(unmarked).toEqual(own)
  })

  test('every policy for external hosts states its destination and has addresses to fill in', () => {
    const outside = readManifests('network-policies-outside.yaml')
    expect(outside.map(({ metadata }) => metadata.name)).toEqual([
      'hosting-api-to-identity-provider',
      'hosting-worker-to-mail',
      'hosting-api-to-traces',
      'hosting-worker-to-traces',
      'hosting-api-to-workload-issuers',
    ])
    for (const { spec } of outside) {
      expect(spec.policyTypes).toEqual(['Egress'])
      expect(spec.egress).toEqual([{ to: expect.anything(), ports: [expect.anything()] }])
    }
    for (const { spec } of outside.slice(0, -1)) {
      // RFC 5737
      expect(spec.egress[0].to[0].ipBlock.cidr).toMatch(/^198\.51\.100\.\d+\/32$/)
    }
    expectPublicOnly(outside.at(-1).spec.egress[0].to)
  })

  test('no policy allows ingress from everywhere, or egress of workers to private networks', () => {
    for (const { spec } of ofKind('NetworkPolicy')) {
      for (const { from } of spec.ingress ?? []) expect(from.length).toBeGreaterThan(0)
    }
    for (const { metadata } of workloads) {
      const { spec } = named('NetworkPolicy', metadata.name)
      expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
    }
    expectPublicOnly(named('NetworkPolicy', 'hosting-worker').spec.egress.at(-1).to)
  })
})

/** Expects that a rule allows all addresses but the private ones. */
function expectPublicOnly([four, six]: Manifest[]): void {
  expect(four.ipBlock.cidr).toBe('0.0.0.0/0')
  for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']) {
    expect(four.ipBlock.except).toContain(range)
  }
  expect(six.ipBlock.except).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']))
}
