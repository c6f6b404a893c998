/** Who reads a page: customers on the public port, or the platform's engineers and operators on the internal port. */
export type Audience = 'customers' | 'platform'

/** A document of the repository that the service shows. */
export interface SitePage {
  /** Its path on the port of its audience. */
  readonly url: string
  /** The Markdown file, from the repository's root. */
  readonly source: string
}

/** The languages of the quickstarts. */
export const quickstartLanguages = ['curl', 'typescript', 'python', 'php', 'go'] as const

const quickstarts = quickstartLanguages.map((name) => `quickstart/${name}`)

const generated = new Set([
  'cli',
  'configuration',
  'generators',
  'metrics',
  'oauth-clients',
  'problems',
  ...quickstarts,
])

const fromDocs = (names: readonly string[]): SitePage[] =>
  names.map((name) => ({
    url: `/docs/${name}`,
    source: `docs/${generated.has(name) ? 'generated/' : ''}${name}.md`,
  }))

/** The rules that customers rely on. */
const rules = [
  'agents',
  'api-keys',
  'audit-log',
  'deliveries',
  'device-login',
  'errors',
  'external-ids',
  'hosting-file',
  'limits',
  'notices',
  'oauth',
  'panel',
  'requests',
  'scopes',
  'sign-in',
  'webhooks',
  'workload-keys',
].map((name) => `specification/${name}`)

/** The integration guide: a page for each subject. */
const integration = [
  'integrate',
  ...[
    'directory',
    'publish',
    'authorize',
    'sign-in-links',
    'openid-connect',
    'billing',
    'support',
    'erase',
    'branding',
  ].map((name) => `integrate/${name}`),
]

const operation = ['operations', 'high-availability', 'configuration', 'metrics', 'scaling']

const platformRules = ['internal-api', 'operations', 'documentation', 'fairness'].map(
  (name) => `specification/${name}`,
)

/** Every document that the service shows under `/docs`, by audience. */
export const sitePages: Readonly<Record<Audience, readonly SitePage[]>> = {
  customers: [
    ...fromDocs([
      'webhooks',
      'security',
      'ci',
      'cli',
      'problems',
      'sdk',
      'generators',
      'oauth-clients',
      'changelog',
    ]),
    ...fromDocs(quickstarts),
    ...fromDocs(rules),
  ],
  platform: [
    ...fromDocs([...integration, ...operation, ...rules, ...platformRules]),
    ...fromDocs(['problems', 'webhooks']),
  ],
}

/** Other files that documents link to, and where the public port has them. */
const files: Readonly<Record<string, string>> = {
  'docs/generated/openapi.json': '/api/v1/openapi.json',
  'docs/generated/hosting.schema.json': '/docs/hosting.schema.json',
  'docs/generated/webhook-vectors.json': '/docs/webhooks/vectors.json',
  'docs/webhooks/verify.go': '/downloads/verify_webhook.go',
  'docs/webhooks/verify.php': '/downloads/verify_webhook.php',
  'docs/webhooks/verify.py': '/downloads/verify_webhook.py',
}

/** The path of a file of the repository on the port of an audience; `undefined` if the port does not have it. */
export const urlOf = (source: string, audience: Audience): string | undefined =>
  sitePages[audience].find((page) => page.source === source)?.url ??
  (audience === 'customers' ? files[source] : undefined)

/** Paths of the service that become links where a document names them as code. */
export const linkedPaths: Readonly<Record<Audience, ReadonlySet<string>>> = {
  customers: new Set([
    '/docs',
    '/docs/api',
    '/docs/changelog.atom',
    '/docs/events',
    '/downloads/hctl.tgz',
    '/downloads/hctl.mjs',
    '/downloads/hosting_sdk.whl',
    '/downloads/sdk.tgz',
    ...Object.values(files),
  ]),
  platform: new Set(['/docs/internal-api', '/downloads/platform-sdk.tgz']),
}
