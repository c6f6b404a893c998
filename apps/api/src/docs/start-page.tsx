import type { ComponentChildren } from 'preact'
import type { DocsPage } from './page.tsx'
import type { MenuLink, MenuSection } from './sidebar.tsx'

/** The links of the menu to the quickstarts. */
export const quickstartLinks: readonly MenuLink[] = [
  ['/docs/quickstart/curl', 'Quickstart: curl'],
  ['/docs/quickstart/typescript', 'Quickstart: TypeScript'],
  ['/docs/quickstart/python', 'Quickstart: Python'],
  ['/docs/quickstart/php', 'Quickstart: PHP'],
  ['/docs/quickstart/go', 'Quickstart: Go'],
]

const downloads = [
  ['/downloads/hctl.tgz', 'The command line', 'npm install --global'],
  ['/downloads/hctl.mjs', 'The command line in one file', 'node hctl.mjs'],
  ['/downloads/sdk.tgz', 'The SDK for TypeScript and JavaScript', 'npm install'],
  ['/downloads/hosting_sdk.whl', 'The SDK for Python', 'from hosting_sdk import Client'],
  [
    '/downloads/verify_webhook.py',
    'Verification for Python',
    'from verify_webhook import verify_webhook',
  ],
  ['/downloads/verify_webhook.php', 'Verification for PHP', "require 'verify_webhook.php'"],
] as const

/** `/docs` for customers: the ways into the documentation, everything by subject, and the downloads. */
export const startPage = (menu: readonly MenuSection[]): DocsPage => ({
  path: '/docs',
  title: 'Documentation',
  content: (
    <>
      <div class="hero">
        <h1>Documentation</h1>
        <p class="quiet">
          Receive your first signed event in five minutes, and manage everything from your programs.
        </p>
      </div>
      <CustomerDoors />
      <h2 id="quickstarts">Quickstarts</h2>
      <ul class="chips">
        {quickstartLinks.map(([path, name]) => (
          <li key={path}>
            <a href={path}>{name.replace('Quickstart: ', '')}</a>
          </li>
        ))}
      </ul>
      <Subjects menu={menu} />
      <Downloads />
    </>
  ),
})

function CustomerDoors() {
  return (
    <div class="doors">
      <Door
        id="receive"
        title="Receive webhooks"
        start={['/docs/quickstart/curl', 'Start in five minutes']}
        links={[
          ['/docs/webhooks', 'Guide'],
          ['/docs/events', 'Event types'],
        ]}
      >
        Get a signed HTTPS request for each event, with retries until you have it.
      </Door>
      <Door
        id="call"
        title="Call the API"
        start={['/docs/api', 'Open the reference']}
        links={[
          ['/docs/sdk', 'SDKs for TypeScript and Python'],
          ['/docs/problems', 'Problems'],
        ]}
      >
        Manage API keys, endpoints and deliveries from your programs, with a key that has only the
        scopes it needs.
      </Door>
      <Door
        id="command-line"
        title="Use the command line"
        start={['/docs/cli', 'Install hctl']}
        links={[['/docs/cli#commands', 'Commands']]}
      >
        Sign in from a terminal, find out why an event did not arrive, and forward events to your
        machine.
      </Door>
      <Door
        id="ci"
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
    <>
      <h2 id="downloads">Downloads</h2>
      <ul class="downloads">
        {downloads.map(([path, name, use]) => (
          <li key={path}>
            <a class="standalone" href={path}>
              {path.replace('/downloads/', '')}
            </a>
            <span>
              {name}: <code>{use}</code>
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

/** `/docs` for the platform's engineers and operators. */
export const platformStartPage = (menu: readonly MenuSection[]): DocsPage => ({
  path: '/docs',
  title: 'Documentation for the platform',
  content: (
    <>
      <div class="hero">
        <h1>Documentation for the platform</h1>
        <p class="quiet">
          For the engineers who integrate the service and the people who operate it. Customers read
          theirs on the public port.
        </p>
      </div>
      <div class="doors">
        <Door
          id="integrate"
          title="Integrate"
          start={['/docs/integrate', 'Read the guide']}
          links={[
            ['/docs/internal-api', 'Internal API'],
            ['/downloads/platform-sdk.tgz', 'platform-sdk.tgz'],
          ]}
        >
          Keep the directory in step, publish events, and authorize requests with API keys.
        </Door>
        <Door
          id="operate"
          title="Operate"
          start={['/docs/operations', 'Open the runbook']}
          links={[
            ['/docs/configuration', 'Configuration'],
            ['/docs/metrics', 'Metrics'],
          ]}
        >
          Install, upgrade, watch and restore the service.
        </Door>
      </div>
      <Subjects menu={menu} />
    </>
  ),
})

/** Every page by subject. */
const Subjects = ({ menu }: { menu: readonly MenuSection[] }) => (
  <>
    <h2 id="subjects">All pages</h2>
    <div class="subjects">
      {menu.map(({ title, links }) => (
        <section key={title}>
          <h3>{title}</h3>
          <Links links={links} />
        </section>
      ))}
    </div>
  </>
)

interface DoorParts {
  readonly id: string
  readonly title: string
  readonly start: MenuLink
  readonly links: readonly MenuLink[]
  readonly children: ComponentChildren
}

const Door = ({ id, title, start: [path, name], links, children }: DoorParts) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    <p>{children}</p>
    <p class="start">
      <a href={path}>{name}</a>
    </p>
    <Links links={links} />
  </section>
)

const Links = ({ links }: { links: readonly MenuLink[] }) => (
  <ul class="links">
    {links.map(([path, name]) => (
      <li key={path}>
        <a href={path}>{name}</a>
      </li>
    ))}
  </ul>
)
