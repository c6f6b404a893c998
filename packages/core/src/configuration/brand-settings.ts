import { keyPrefixLengthMax, keyPrefixLengthMin, keyPrefixPattern } from '../api-keys/token.ts'
import { defaultNames } from '../branding/names.ts'
import * as parse from './parsers.ts'
import { defaulting, optional } from './setting.ts'

const keyPrefixForm = `${keyPrefixLengthMin} to ${keyPrefixLengthMax} lowercase letters`

/** The names under which a company offers the service (docs/specification/operations.md#branding). */
export const brandSettings = {
  keyPrefix: defaulting({
    variable: 'KEY_PREFIX',
    summary: `The prefix of new API keys, ${keyPrefixForm}. Existing keys keep theirs until they are rotated.`,
    parse: parse.matching(new RegExp(keyPrefixPattern), `must be ${keyPrefixForm}`),
    fallback: defaultNames.keyPrefix,
  }),
  webhookHeaderPrefix: defaulting({
    variable: 'WEBHOOK_HEADER_PREFIX',
    summary:
      'The prefix of the headers of deliveries: 1 to 30 letters, digits and hyphens, a letter first, not `Webhook`. Receivers read these headers, so set it before the first delivery.',
    // `Webhook-Signature` is a header of Standard Webhooks.
    parse: parse.matching(
      /^(?!webhook$)[a-z][a-z0-9-]{0,29}$/i,
      'must be 1 to 30 letters, digits and hyphens, a letter first, and not "Webhook"',
    ),
    fallback: defaultNames.webhookHeaderPrefix,
  }),
  webhookUserAgent: defaulting({
    variable: 'WEBHOOK_USER_AGENT',
    summary: 'The `User-Agent` of deliveries. It ends in `/1`.',
    parse: parse.matching(/^[\x21-\x7e]{1,100}\/1$/, 'must be visible ASCII text that ends in /1'),
    fallback: defaultNames.webhookUserAgent,
  }),
  brandName: defaulting({
    variable: 'BRAND_NAME',
    summary:
      'The name of the service on its pages, in the title of the OpenAPI document, in authenticator apps and as the sender of mail.',
    parse: parse.brandName,
    fallback: defaultNames.brandName,
  }),
  brandCommand: defaulting({
    variable: 'BRAND_COMMAND',
    summary:
      'The name of the command and the scope of the packages that customers install: 2 to 20 lowercase letters and digits, a letter first. Another name than `hctl` renames `@hosting/sdk` and `hosting_sdk` too.',
    parse: parse.matching(
      /^[a-z][a-z0-9]{1,19}$/,
      'must be 2 to 20 lowercase letters and digits, a letter first',
    ),
    fallback: defaultNames.brandCommand,
  }),
  brandLogo: optional({
    variable: 'BRAND_LOGO',
    readBy: 'api',
    summary: 'The path of the logo, an SVG or PNG file of up to 256 KiB.',
    parse: parse.matching(/\.(svg|png)$/, 'must name a file that ends in .svg or .png'),
    unset: `the logo of ${defaultNames.brandName}`,
  }),
  brandColor: optional({
    variable: 'BRAND_COLOR',
    summary:
      'The color of buttons and links, `#rrggbb`, with a contrast of at least 4.5:1 against white. The dark theme uses a lighter shade of it.',
    parse: parse.brandColor,
    unset: `the color of ${defaultNames.brandName}`,
  }),
}
