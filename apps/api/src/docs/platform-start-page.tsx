import { Door } from './doors.tsx'
import type { DocsPage } from './page.tsx'

/** `/docs` for the platform's engineers and operators. */
export const platformStartPage: DocsPage = {
  path: '/docs',
  title: 'Documentation for the platform',
  content: (
    <>
      <div class="hero">
        <div>
          <h1>Documentation for the platform</h1>
          <p class="quiet">
            For the engineers who integrate the service and the people who operate it. Customers
            read theirs on the public port.
          </p>
        </div>
      </div>
      <div class="doors">
        <Door
          id="integrate"
          icon="code"
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
          id="brand"
          icon="brush"
          title="Offer it under your name"
          start={['/docs/integrate/branding', 'Set the brand']}
          links={[
            ['/docs/integrate/sign-in-links', 'Sign-in links'],
            ['/docs/integrate/openid-connect', 'OpenID Connect'],
          ]}
        >
          Your name, logo and color on every page, and people who are already signed in with you.
        </Door>
        <Door
          id="operate"
          icon="cycle"
          title="Operate"
          start={['/docs/operations', 'Open the runbook']}
          links={[
            ['/docs/operations#setup', 'Install'],
            ['/docs/configuration', 'Configuration'],
          ]}
        >
          Install, upgrade and restore the service, and know what to do when something fails.
        </Door>
        <Door
          id="watch"
          icon="chart"
          title="Watch"
          start={['/docs/metrics', 'Read the metrics']}
          links={[
            ['/docs/operations#alerts', 'Alerts'],
            ['/docs/scaling', 'Scaling'],
          ]}
        >
          Metrics, alerts that lead to the runbook, and how much a process can do.
        </Door>
      </div>
    </>
  ),
}
