import type { RequestHandler } from 'express'
import type { ComponentChildren } from 'preact'
import type { Brand } from '../brand.ts'
import { serveDocsPage, type DocsPage } from './page.tsx'

type Link = readonly [path: string, name: string]

const quickstarts: readonly Link[] = [
  ['/docs/quickstart/curl', 'curl'],
  ['/docs/quickstart/typescript', 'TypeScript'],
  ['/docs/quickstart/python', 'Python'],
  ['/docs/quickstart/php', 'PHP'],
  ['/docs/quickstart/go', 'Go'],
]

const forCallers: readonly Link[] = [
  ['/docs/api', 'API reference'],
  ['/docs/sdk', 'SDK for TypeScript'],
  ['/docs/cli', 'hctl, the command-line client'],
  ['/docs/ci', 'Run in CI'],
  ['/docs/security', 'Protect your account and your organization'],
  ['/docs/problems', 'Problems'],
]

const forIntegrators: readonly Link[] = [
  ['/docs/integrate', 'Integration guide'],
  ['/docs/integrate/directory', 'Directory'],
  ['/docs/integrate/publish', 'Publish events'],
  ['/docs/integrate/authorize', 'Authorize requests'],
  ['/docs/integrate/sign-in-links', 'Sign-in links'],
  ['/docs/integrate/openid-connect', 'OpenID Connect'],
  ['/docs/integrate/billing', 'Billing'],
  ['/docs/integrate/support', 'Support'],
  ['/docs/integrate/erase', 'Erase a person'],
  ['/docs/integrate/branding', 'Branding'],
  ['/docs/specification/internal-api', 'Internal API'],
]

const rules: readonly Link[] = [
  ['/docs/specification/requests', 'Requests and responses'],
  ['/docs/specification/errors', 'Errors'],
  ['/docs/specification/api-keys', 'API keys'],
  ['/docs/specification/workload-keys', 'Workload keys'],
  ['/docs/specification/scopes', 'Scopes, permissions and roles'],
  ['/docs/specification/sign-in', 'Sign-in and sessions'],
  ['/docs/specification/device-login', 'Device login'],
  ['/docs/specification/webhooks', 'Webhook endpoints'],
  ['/docs/specification/deliveries', 'Deliveries'],
  ['/docs/specification/notices', 'Notices'],
  ['/docs/specification/panel', 'Panel'],
  ['/docs/specification/audit-log', 'Audit log'],
  ['/docs/specification/limits', 'Limits'],
  ['/docs/specification/documentation', 'Documentation and downloads'],
]

const downloads = [
  ['/downloads/hctl.tgz', 'hctl, the command-line client:', 'npm install --global <URL>'],
  ['/downloads/hctl.mjs', 'hctl in one file, without npm:', 'node hctl.mjs'],
  ['/downloads/sdk.tgz', 'The SDK for TypeScript and JavaScript:', 'npm install <URL>'],
  [
    '/downloads/verify_webhook.py',
    'Verification for Python:',
    'from verify_webhook import verify_webhook',
  ],
  ['/downloads/verify_webhook.php', 'Verification for PHP:', "require 'verify_webhook.php'"],
] as const

/** `GET /docs`: the three ways into the documentation, the rules and the downloads. */
export const serveStartPage = (brand: Brand): RequestHandler => serveDocsPage(startPage(), brand)

const startPage = (): DocsPage => ({
  title: 'Documentation',
  content: (
    <>
      <h1>Documentation</h1>
      <div class="doors">
        <Door id="receive" title="Receive webhooks" links={quickstarts}>
          Get an HTTPS request for each event. Receive your first one in five minutes, or read the{' '}
          <a href="/docs/webhooks">guide to webhooks</a>.
        </Door>
        <Door id="call" title="Call the API" links={forCallers}>
          Manage API keys, endpoints and deliveries from your programs.
        </Door>
        <Door id="integrate" title="Integrate the service" links={forIntegrators}>
          Add API keys and webhooks to a hosting platform: the directory, events, and the
          authorization of requests.
        </Door>
      </div>
      <h2 id="specification">Specification</h2>
      <p>The exact rules that clients and receivers can rely on.</p>
      <Links links={rules} />
      <h2 id="downloads">Downloads</h2>
      <ul class="links">
        {downloads.map(([path, name, use]) => (
          <li key={path}>
            <a href={path}>{path}</a> {name} <code>{use}</code>
          </li>
        ))}
      </ul>
    </>
  ),
})

interface DoorParts {
  readonly id: string
  readonly title: string
  readonly links: readonly Link[]
  readonly children: ComponentChildren
}

const Door = ({ id, title, links, children }: DoorParts) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    <p>{children}</p>
    <Links links={links} />
  </section>
)

const Links = ({ links }: { links: readonly Link[] }) => (
  <ul class="links">
    {links.map(([path, name]) => (
      <li key={path}>
        <a href={path}>{name}</a>
      </li>
    ))}
  </ul>
)
