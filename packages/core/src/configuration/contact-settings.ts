import * as parse from './parsers.ts'
import { defaulting, optional } from './setting.ts'

/** What the service publishes about itself (docs/specification/operations.md#published-contacts). */
export const contactSettings = {
  webhookSources: defaulting({
    variable: 'WEBHOOK_SOURCE_ADDRESSES',
    readBy: 'api',
    summary:
      'CIDRs of the addresses from which webhooks are sent, comma-separated. They are published at `/.well-known/webhook-sources.json` and in the guide for receivers.',
    parse: parse.networks,
    fallback: '',
  }),
  supportUrl: optional({
    variable: 'SUPPORT_URL',
    readBy: 'api',
    summary:
      'Where people get help, for example if they have forgotten their password: `https://example.com/support` or `mailto:support@example.com`. The sign-in page links to it.',
    parse: parse.contact,
    unset: 'the sign-in page names no contact',
  }),
  securityContact: optional({
    variable: 'SECURITY_CONTACT',
    readBy: 'api',
    summary:
      'Where vulnerabilities are reported: `mailto:security@example.com` or `https://example.com/security`. It is published at `/.well-known/security.txt` (RFC 9116).',
    parse: parse.contact,
    unset: 'no `security.txt`',
  }),
}
