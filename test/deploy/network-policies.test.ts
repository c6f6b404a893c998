import { settings, type Setting } from '@hosting/core/configuration'
import { expect, test } from '@jest/globals'
import * as chart from '../support/chart.ts'
import { type Manifest, settingsReadBy } from '../support/chart.ts'
import { needing } from '../support/needing.ts'

const { describe: describeChart } = needing('Helm', chart.helm !== undefined)
const { manifests } = chart.helm ? chart.render(chart.fullValues) : { manifests: [] }
const policyOf = (process: string, of = manifests): Manifest =>
  of.find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === `hosting-${process}`,
  )
const processes = ['api', 'worker'] as const

/** Where a policy leads: addresses and ports. */
const reached = (process: string, of = manifests): string[] =>
  policyOf(process, of).spec.egress.flatMap(({ to, ports = [{ port: 'any' }] }: Manifest) =>
    to.flatMap(({ ipBlock }: Manifest) =>
      ports.map(({ port }: Manifest) => `${ipBlock?.cidr ?? 'dns'}:${port}`),
    ),
  )

const addressOf: Readonly<Record<string, string>> = {
  DATABASE_URL: '10.20.0.0/24:5432',
  DATABASE_DIRECT_URL: '10.20.0.0/24:5432',
  REDIS_URL: '10.20.0.0/24:6379',
  OIDC_ISSUER: '198.51.100.10/32:443',
  SMTP_URL: '198.51.100.25/32:587',
  OTEL_EXPORTER_OTLP_ENDPOINT: '198.51.100.43/32:4318',
}

describeChart('the network policies', () => {
  test.each(processes)('%s can reach every host that a setting of it names', (process) => {
    const named = settingsReadBy(process).filter(({ namesHost }) => namesHost)
    expect(named.length).toBeGreaterThan(3)
    for (const { variable } of named) {
      expect(addressOf).toHaveProperty([variable])
      expect(reached(process)).toContain(addressOf[variable])
    }
  })

  test('a host is open only to the process that reads its setting', () => {
    expect(reached('worker')).not.toContain(addressOf['OIDC_ISSUER'])
    expect(reached('api')).not.toContain(addressOf['SMTP_URL'])
    expect(reached('migrate').toSorted()).toEqual(
      [
        'dns:53',
        'dns:53',
        ...[5432, 6432, 6379, 26379].map((port) => `10.20.0.0/24:${port}`),
      ].toSorted(),
    )
  })

  test('a setting whose host no policy allows is refused, and the message says what to set', () => {
    const values = {
      settings: { ...chart.leastValues.settings, api: { OIDC_ISSUER: 'https://id.example.com' } },
    }
    expect(chart.render(values).said).toContain(
      'OIDC_ISSUER is set: name its host in networkPolicy.outside.api.OIDC_ISSUER.to',
    )
    const open = { ...values, networkPolicy: { outside: { api: { OIDC_ISSUER: { to: [] } } } } }
    expect(chart.render(open).said).toBe('')
    expect(chart.render({ ...values, networkPolicy: { enabled: false } }).said).toBe('')
  })

  test('every setting that contains a URL of another service is checked', () => {
    const own = ['PUBLIC_URL', 'SUPPORT_URL']
    const urls = Object.values<Setting<unknown>>(settings).filter(({ variable }) =>
      /_(URL|ISSUER|ENDPOINT)$/.test(variable),
    )
    const unmarked = urls.filter(({ namesHost }) => !namesHost).map(({ variable }) => variable)
    expect(unmarked).toEqual(own)
  })

  test('no policy allows ingress from everywhere, or egress to private networks', () => {
    for (const process of [...processes, 'migrate']) {
      const { spec } = policyOf(process)
      expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
      for (const { from } of spec.ingress ?? []) expect(from.length).toBeGreaterThan(0)
      expectPublicOnly(spec.egress.flatMap(({ to }: Manifest) => to))
    }
    expect(reached('worker')).toContain('0.0.0.0/0:any')
    expect(reached('api')).toContain('0.0.0.0/0:443')
  })

  test('webhooks and issuers can be in the networks that WEBHOOK_ALLOWED_NETWORKS names', () => {
    expect(reached('worker')).toEqual(
      expect.arrayContaining(['10.50.0.0/16:any', '10.60.0.7/32:any']),
    )
    expect(reached('api')).toEqual(expect.arrayContaining(['10.50.0.0/16:443', '10.60.0.7/32:443']))
    const { manifests: own } = chart.render(
      withNetworks({
        OWN_NETWORKS: '10.60.0.7',
        WEBHOOK_ALLOWED_NETWORKS: 'fd00::/8,10.60.0.7/32',
      }),
    )
    expect(reached('worker', own)).toContain('fd00::/8:any')
    expect(reached('worker', own)).not.toContain('10.60.0.7/32:any')
  })

  test('a single address is written as a network, which Kubernetes requires', () => {
    const { manifests: own } = chart.render(
      withNetworks({ OWN_NETWORKS: '203.0.113.5, 2001:db8::5,198.51.100.0/24' }),
    )
    const excepted = policyOf('worker', own).spec.egress.flatMap(({ to }: Manifest) =>
      to.flatMap(({ ipBlock }: Manifest) => ipBlock?.except ?? []),
    )
    expect(excepted).toEqual(
      expect.arrayContaining(['203.0.113.5/32', '2001:db8::5/128', '198.51.100.0/24']),
    )
    expect(excepted.filter((network: string) => !network.includes('/'))).toEqual([])
  })

  test('the API reaches no public addresses if workload keys are not used', () => {
    const { manifests: without } = chart.render({
      ...chart.leastValues,
      networkPolicy: { workloadIssuers: false },
    })
    expect(reached('api', without).filter((target) => target.includes('/0:'))).toEqual([])
  })

  test('the policy of the migration exists before it runs', () => {
    const { annotations } = policyOf('migrate').metadata
    expect(annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    expect(Number(annotations['helm.sh/hook-weight'])).toBeLessThan(0)
  })
})

const withNetworks = (networks: Readonly<Record<string, string>>): object => ({
  settings: { shared: { ...chart.leastValues.settings.shared, ...networks } },
})

/** Expects that peers which contain all addresses exclude the private ones and the service's own. */
function expectPublicOnly(peers: Manifest[]): void {
  const exceptOf = (cidr: string): string[][] =>
    peers.filter(({ ipBlock }) => ipBlock?.cidr === cidr).map(({ ipBlock }) => ipBlock.except)
  for (const except of exceptOf('0.0.0.0/0')) {
    expect(except).toEqual([
      '10.0.0.0/8',
      '100.64.0.0/10',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '203.0.113.0/24',
    ])
  }
  for (const except of exceptOf('::/0')) {
    expect(except).toEqual(['::1/128', 'fc00::/7', 'fe80::/10', '2001:db8::/32'])
  }
}
