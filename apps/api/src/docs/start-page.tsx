import { Door } from './doors.tsx'
import { binaryPlatforms, hasBinaries } from './downloads/binaries.ts'
import type { DocsPage } from './page.tsx'
import type { MenuLink } from './sidebar.tsx'

/** The links of the menu to the quickstarts. */
export const quickstartLinks: readonly MenuLink[] = [
  ['/docs/quickstart/curl', 'Quickstart: curl'],
  ['/docs/quickstart/typescript', 'Quickstart: TypeScript'],
  ['/docs/quickstart/python', 'Quickstart: Python'],
  ['/docs/quickstart/php', 'Quickstart: PHP'],
  ['/docs/quickstart/go', 'Quickstart: Go'],
]

const downloads: readonly (readonly [path: string, name: string, use: string])[] = [
  ['/downloads/hctl.tgz', 'The command line', 'npm install --global <url> --allow-remote=root'],
  ['/downloads/hctl.mjs', 'The command line in one file', 'node hctl.mjs'],
  ...(hasBinaries() ? binaryPlatforms : []).map(
    (platform) =>
      [
        `/downloads/hctl-${platform}.gz`,
        `The command line for ${platform === 'linux-x64' ? 'Linux x64' : 'Linux arm64'}, without Node`,
        `gunzip hctl-${platform}.gz`,
      ] as const,
  ),
  [
    '/downloads/sdk.tgz',
    'The SDK for TypeScript and JavaScript',
    'npm install <url> --allow-remote=root',
  ],
  ['/downloads/hosting_sdk.whl', 'The SDK for Python', 'from hosting_sdk import Client'],
  [
    '/downloads/verify_webhook.py',
    'Verification for Python',
    'from verify_webhook import verify_webhook',
  ],
  ['/downloads/verify_webhook.php', 'Verification for PHP', "require 'verify_webhook.php'"],
  ['/downloads/verify_webhook.go', 'Verification for Go', 'webhooks.Verify'],
]

/** `/docs` for customers: the ways into the documentation, and the downloads. The menu lists every page. */
export const startPage: DocsPage = {
  path: '/docs',
  title: 'Documentation',
  content: (
    <>
      <Hero />
      <CustomerDoors />
      <Steps />
      <Downloads />
    </>
  ),
}

const createEndpoint = `export HCTL_URL=https://panel.example.com

curl "$HCTL_URL/api/v1/webhooks" \\
  -H "Authorization: Bearer $HCTL_TOKEN" \\
  --json '{
    "url": "https://hooks.example.com/in",
    "events": ["site.*", "backup.failed"]
  }'`

function Hero() {
  return (
    <div class="hero">
      <div>
        <h1>Documentation</h1>
        <p class="quiet">
          Receive your first signed event in five minutes, and manage everything from your programs.
        </p>
        <p class="actions">
          <a class="primary" href="/docs/quickstart/curl">
            Get started
          </a>{' '}
          <a href="/docs/api">API reference</a>
        </p>
        <h2 id="quickstarts">Quickstarts</h2>
        <ul class="chips">
          {quickstartLinks.map(([path, name]) => (
            <li key={path}>
              <a href={path}>{name.replace('Quickstart: ', '')}</a>
            </li>
          ))}
        </ul>
      </div>
      <figure>
        <figcaption>Create an endpoint</figcaption>
        <pre>
          <code class="language-sh">{createEndpoint}</code>
        </pre>
      </figure>
    </div>
  )
}

const steps = [
  [
    'Create an endpoint',
    '/docs/api/webhooks#webhooks.create',
    'With the API, in the panel or with hctl. Choose the event types that it gets.',
  ],
  [
    'Verify the signature',
    '/docs/webhooks#verify',
    'Every delivery is signed. Verify it before you trust the body.',
  ],
  [
    'Return 2xx',
    '/docs/webhooks#respond',
    'Everything else is retried. Waiting and failed deliveries can be sent again.',
  ],
] as const

/** How an event reaches a program of the reader. */
function Steps() {
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">How an event reaches you</h2>
      <ol class="steps">
        {steps.map(([title, path, text]) => (
          <li key={title}>
            <h3>
              <a href={path}>{title}</a>
            </h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function CustomerDoors() {
  return (
    <div class="doors">
      <Door
        id="receive"
        icon="endpoint"
        title="Receive webhooks"
        start={['/docs/webhooks', 'Read the guide']}
        links={[['/docs/events', 'Event types']]}
      >
        Get a signed HTTPS request for each event, with retries until you have it.
      </Door>
      <Door
        id="call"
        icon="code"
        title="Call the API"
        start={['/docs/api', 'Open the reference']}
        links={[
          ['/docs/sdk', 'SDKs'],
          ['/docs/problems', 'Problems'],
        ]}
      >
        Manage API keys, endpoints and deliveries with a key that has only the scopes it needs.
      </Door>
      <Door
        id="command-line"
        icon="terminal"
        title="Use the command line"
        start={['/docs/cli', 'Install hctl']}
        links={[['/docs/cli#commands', 'Commands']]}
      >
        Sign in from a terminal, find out why an event did not arrive, and forward events to your
        machine.
      </Door>
      <Door
        id="ci"
        icon="cycle"
        title="Run in CI"
        start={['/docs/ci', 'Set up a job']}
        links={[['/docs/specification/workload-keys', 'Workload keys']]}
      >
        Exchange the identity token of a job for a short-lived token, so that no secret is stored.
      </Door>
    </div>
  )
}

function Downloads() {
  return (
    <section aria-labelledby="downloads">
      <h2 id="downloads">Downloads</h2>
      <ul class="downloads">
        {downloads.map(([path, name, use]) => (
          <li key={path}>
            <a class="standalone" href={path}>
              {path.replace('/downloads/', '')}
            </a>{' '}
            <span>
              {name}: <code>{use}</code>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
