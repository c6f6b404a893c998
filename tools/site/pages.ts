/** A document of the repository that the service shows. */
export interface SitePage {
  /** Its path on the public port. */
  readonly url: string
  /** The Markdown file, from the repository's root. */
  readonly source: string
}

const guides = ['webhooks', 'security', 'ci', 'cli', 'problems'].map((name) => ({
  url: `/docs/${name}`,
  source: `docs/${name}.md`,
}))

/** The languages of the quickstarts. */
export const quickstartLanguages = ['curl', 'typescript', 'python', 'php', 'go'] as const

const quickstarts = quickstartLanguages.map((name) => ({
  url: `/docs/quickstart/${name}`,
  source: `docs/quickstart/${name}.md`,
}))

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
].map((name) => ({ url: `/docs/${name}`, source: `docs/${name}.md` }))

/** The rules that customers and integrators rely on. The pages for operators are not shown. */
const rules = [
  'api-keys',
  'audit-log',
  'deliveries',
  'device-login',
  'documentation',
  'errors',
  'internal-api',
  'limits',
  'notices',
  'panel',
  'requests',
  'scopes',
  'sign-in',
  'webhooks',
  'workload-keys',
].map((name) => ({
  url: `/docs/specification/${name}`,
  source: `docs/specification/${name}.md`,
}))

/** Every document that the service shows under `/docs`. */
export const sitePages: readonly SitePage[] = [
  ...guides,
  ...quickstarts,
  ...rules,
  ...integration,
  { url: '/docs/sdk', source: 'packages/sdk/README.md' },
]

/** Other files that documents link to, and where the service has them. */
export const siteFiles: Readonly<Record<string, string>> = {
  'docs/openapi.json': '/api/v1/openapi.json',
  'docs/webhooks/vectors.json': '/docs/webhooks/vectors.json',
  'docs/webhooks/verify.php': '/downloads/verify_webhook.php',
  'docs/webhooks/verify.py': '/downloads/verify_webhook.py',
}

/** Paths of the service that become links where a document names them as code. */
export const linkedPaths: ReadonlySet<string> = new Set([
  '/docs',
  '/docs/api',
  '/downloads/hctl.tgz',
  '/downloads/hctl.mjs',
  '/downloads/sdk.tgz',
  ...Object.values(siteFiles),
])
