import type { Customer } from './directory.ts'
import type { Site } from './publish.ts'

const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem }
form { margin: 1rem 0 }
button, input { font: inherit; padding: 0.5rem 0.9rem; max-width: 100%; box-sizing: border-box }`

/** The page for people who are not signed in to the platform. */
export const signInPage = (customers: readonly Customer[]): string =>
  page(
    'Sign in',
    `<p>Choose who you are. A real platform asks for a password.</p>
<form method="post" action="/sign-in">${customers
      .map(
        ({ owner, name }) =>
          `<p><button name="user" value="${owner.id}">${escapeHtml(`${owner.name}, ${name}`)}</button></p>`,
      )
      .join('')}</form>`,
  )

/** The page of a customer. */
export const portalPage = ({ name, owner }: Customer, sites: readonly Site[]): string =>
  page(
    name,
    `<p>Signed in as ${escapeHtml(owner.name)}.</p>
<h2>API keys and webhooks</h2>
<form method="post" action="/panel"><button>Open the panel</button></form>
<h2>Sites</h2>
${sites.length === 0 ? '<p>No sites yet.</p>' : ''}
<ul>${sites.map(({ domain }) => `<li>${escapeHtml(domain)}</li>`).join('')}</ul>
<form method="post" action="/sites">
<label>Domain <input name="domain" required value="shop.example"></label>
<button>Create site</button>
</form>
<form method="post" action="/sign-out"><button>Sign out</button></form>`,
  )

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Example Platform</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>Example Platform</header>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>`

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
