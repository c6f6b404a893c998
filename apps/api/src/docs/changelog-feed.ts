import { defaultNames, exampleUrl } from '@hosting/core/branding'
import { escapeHtml } from '@hosting/html'
import type { Guide } from './site.ts'

/** An entry of the changelog. Its heading begins with its day. */
const entryPattern = /<h2 id="([^"]+)">(\d{4}-\d\d-\d\d): (.*?)<\/h2>\n([^]*?)(?=<h2 |$)/g

/** The changelog as an Atom feed (RFC 4287), with the default names. */
export function changelogFeed({ html }: Guide): string {
  const page = `${exampleUrl}/docs/changelog`
  const entries = [...html.matchAll(entryPattern)].map(([, id, day, title, content]) => {
    const absolute = content!.replaceAll('href="/', `href="${exampleUrl}/`)
    return {
      day: day!,
      text: entryOf({ url: `${page}#${id}`, day: day!, title: title!, absolute }),
    }
  })
  const updated = entries
    .map(({ day }) => day)
    .toSorted()
    .at(-1)
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${page}</id>
  <title>${defaultNames.brandName}: Changelog</title>
  <author><name>${defaultNames.brandName}</name></author>
  <link rel="self" type="application/atom+xml" href="${page}.atom"/>
  <link rel="alternate" type="text/html" href="${page}"/>
  <updated>${updated}T00:00:00Z</updated>
${entries.map(({ text }) => text).join('\n')}
</feed>
`
}

interface FeedEntry {
  readonly url: string
  readonly day: string
  /** HTML. */
  readonly title: string
  /** HTML with absolute links. */
  readonly absolute: string
}

const entryOf = ({ url, day, title, absolute }: FeedEntry): string => `  <entry>
    <id>${url}</id>
    <title type="html">${escapeHtml(title)}</title>
    <link rel="alternate" type="text/html" href="${url}"/>
    <published>${day}T00:00:00Z</published>
    <updated>${day}T00:00:00Z</updated>
    <content type="html">${escapeHtml(absolute)}</content>
  </entry>`
