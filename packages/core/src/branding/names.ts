import { keyPrefix } from '../api-keys/token.ts'
import { defaultNaming, type DeliveryNaming } from '../webhooks/delivery-headers.ts'

/** The names under which a company offers the service. */
export interface ServiceNames extends DeliveryNaming {
  readonly brandName: string
  /** The name of the command line client. */
  readonly brandCommand: string
  readonly keyPrefix: string
}

/** The names where nothing else is configured. Our documents are written with them. */
export const defaultNames: ServiceNames = {
  brandName: 'Hosting Control',
  brandCommand: 'hctl',
  keyPrefix,
  ...defaultNaming,
}

/** The URL of the service in our documents. */
export const exampleUrl = 'https://panel.example.com'

/** The scope of the default packages: `@hosting/sdk` for npm, `hosting_sdk` for Python. */
const defaultScope = 'hosting'

/** What follows the header prefix in the names of headers, and in patterns for them. */
const headerEnds = '(?:Event|Delivery|Timestamp|Signature)\\b'

/**
 * Replaces the default names and the URL in documents by the configured ones, all in one pass, so that a configured name may
 * contain a default one.
 *
 * @param escape - escapes a name for the format of the document.
 */
export function createRenamer(
  names: ServiceNames & { readonly publicUrl?: string | undefined },
  escape: (name: string) => string = (name) => name,
): (text: string) => string {
  const header = names.webhookHeaderPrefix
  const { brandName, brandCommand, webhookUserAgent, webhookHeaderPrefix } = defaultNames
  const scope = names.brandCommand === brandCommand ? defaultScope : names.brandCommand
  const replacements: readonly (readonly [pattern: string, name: string])[] = [
    [brandName, names.brandName],
    [exampleUrl.replaceAll('.', '\\.'), names.publicUrl ?? exampleUrl],
    [webhookUserAgent, names.webhookUserAgent],
    [`\\b${webhookHeaderPrefix}-(?=${headerEnds}|\\*)`, `${header}-`],
    [`\\b${webhookHeaderPrefix}-(?=${headerEnds})`.toLowerCase(), `${header}-`.toLowerCase()],
    // CGI and PHP have the headers of a request under such names (RFC 3875, section 4.1.18).
    [
      `\\bHTTP_${webhookHeaderPrefix.toUpperCase()}_`,
      `HTTP_${header.toUpperCase().replaceAll('-', '_')}_`,
    ],
    [`\\b${defaultNames.keyPrefix}_`, `${names.keyPrefix}_`],
    [`(?<![A-Za-z0-9])${brandCommand}(?!\\w)`, names.brandCommand],
    [`(?<=@)${defaultScope}(?=/(?:sdk|cli)\\b)`, scope],
    [`\\b${defaultScope}(?=[-_]sdk\\b)`, scope],
  ]
  const pattern = new RegExp(replacements.map(([source]) => `(${source})`).join('|'), 'g')
  const escaped = replacements.map(([, name]) => escape(name))
  return (text) =>
    text.replaceAll(
      pattern,
      (_match, ...groups: unknown[]) =>
        escaped[groups.findIndex((group) => typeof group === 'string')]!,
    )
}
