import { neededScope } from '@hosting/core'
import type { RequestHandler } from 'express'
import { problemsOf } from '../http/implied-problems.ts'
import { permissionOf, type AnswerShape, type Route } from '../http/route.ts'
import { publicBase, publicRoutes } from '../routes/index.ts'
import { html, prose, servePage, type Html } from './page.ts'
import { membersOf, type Member } from './schema-members.ts'

/** `GET /docs`: the reference of the public API for people, made from the route table. */
export function serveReference(): RequestHandler {
  const groups = Map.groupBy(publicRoutes as readonly Route[], ({ path }) => path.split('/')[1]!)
  return servePage(
    'Reference',
    html`<h1>Hosting Control API</h1>
      <p>
        A JSON API at <code>${publicBase}</code>. Programs send an API key:
        <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Errors are problem documents whose
        <code>code</code> says what happened: <a href="/problems">all problems</a>. The same as a
        document for machines: <a href="${publicBase}/openapi.json">openapi.json</a>.
      </p>
      <nav aria-label="Operations">
        <ul>
          ${publicRoutes.map(
            (route) => html`<li><a href="#${route.operation}">${route.summary}</a></li>`,
          )}
        </ul>
      </nav>
      ${[...groups].map(
        ([name, routes]) =>
          html`<h2>${name}</h2>
            ${routes.map(describe)}`,
      )}`,
  )
}

function describe(route: Route): Html {
  return html`<section>
    <h3 id="${route.operation}">
      <span class="method">${route.method}</span>
      <code>${publicBase}${route.path.replace(/:(\w+)/g, '{$1}')}</code>
    </h3>
    <p>${prose(`${route.summary}.`)} ${prose(route.description ?? '')}</p>
    <p class="quiet">${access(route)}</p>
    ${
      route.query
        ? html`<h4>Query</h4>
            ${table(membersOf(route.query))}`
        : ''
    }
    ${
      route.body
        ? html`<h4>Body</h4>
            ${table(membersOf(route.body))}`
        : ''
    }
    ${Object.entries(route.answers).map(([status, shape]) => answer(status, shape!))}
    <p>
      Problems:
      ${[...new Set(problemsOf(route))].map(
        (code) => html`<a href="/problems/${code}"><code>${code}</code></a> `,
      )}
    </p>
  </section>`
}

function access({ auth, method }: Route): Html {
  if (auth === 'none') return html`No credentials needed.`
  if (auth === 'session') return html`A signed-in session only.`
  const permission = permissionOf(auth)
  if (!permission) return html`Any key.`
  return html`Permission <code>${permission.name}</code>; a key needs scope
    <code>${neededScope(permission, method)}</code>.`
}

/** An answer's members are many and mostly plain: they unfold. */
function answer(status: string, { description, schema }: AnswerShape): Html {
  const title = html`<strong>${status}</strong> ${prose(description)}`
  return schema
    ? html`<details>
        <summary>${title}</summary>
        ${table(membersOf(schema))}
      </details>`
    : html`<p>${title}</p>`
}

function table(members: readonly Member[]): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Member</th>
        <th scope="col">Type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${members.map(
        ({ name, type, required, description }) =>
          html`<tr>
            <td><code>${name}</code>${required ? '' : ' (optional)'}</td>
            <td>${type}</td>
            <td>${prose(description)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
