import { staticPage } from '@hosting/html'
import type { RequestHandler } from 'express'
import type { Services } from '../services.ts'
import { exampleId } from './example-value.ts'
import { highlightCode } from './highlight.ts'
import { policy, renderStatic, type DocsSite } from './page.tsx'
import { findReader } from './quickstarts.tsx'

/** The page of the reference whose operations take the id of an endpoint. */
export const ownExamplesPath = '/docs/api/webhooks'

/** Serves that page. For a signed-in reader, the example requests contain the id of their newest endpoint. */
export function serveOwnExamples(services: Services, site: DocsSite): RequestHandler {
  const page = site.pages.find(({ path }) => path === ownExamplesPath)!
  let rendered: string | undefined
  const render = (): string =>
    (rendered ??= highlightCode(renderStatic(page, site, services.brand)))
  const sendPublic = staticPage(render, policy)
  return async (req, res) => {
    res.vary('Cookie')
    const reader = await findReader(services, req, res)
    const endpoint = reader?.endpoints[0]
    if (!endpoint) {
      res.setHeader('Cache-Control', 'no-cache')
      return sendPublic(res)
    }
    res.setHeader('Cache-Control', 'private, no-store')
    staticPage(() => withOwnId(render(), endpoint.id), policy)(res)
  }
}

/** The path of an endpoint's operation begins with its id, so the first id of a request is the endpoint's. */
const withOwnId = (html: string, id: string): string =>
  html
    .replaceAll(/<code class="language-(?:sh|ts|python)">[^]*?<\/code>/g, (code) =>
      code.replace(exampleId, id),
    )
    .replace(
      '</h1>',
      `</h1><p class="own">The example requests contain the id of <a class="standalone" href="/webhooks/${id}">your newest endpoint</a>.</p>`,
    )
