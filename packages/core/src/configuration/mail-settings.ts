import { mailDigestSecondsMax } from '../notices/limits.ts'
import * as parse from './parsers.ts'
import { defaulting, optional } from './setting.ts'

/** The settings of mail (docs/specification/notices.md#mail). */
export const mailSettings = {
  smtpUrl: optional({
    variable: 'SMTP_URL',
    readBy: 'worker',
    namesHost: true,
    summary:
      'The mail server that sends notices: `smtp://user:password@host:587`, or `smtps://` for TLS from the start. With `smtp:`, STARTTLS is used if the server offers it, and its certificate is verified if there are credentials or `SMTP_CA`. Without TLS, credentials are sent only to this machine. `MAIL_FROM` must be set too.',
    parse: parse.secret(parse.mailServerUrl),
    needs: 'MAIL_FROM',
    unset: 'no email is sent',
  }),
  smtpCa: optional({
    variable: 'SMTP_CA',
    readBy: 'worker',
    summary:
      'The path of a PEM file with the authority of the mail server, or with its self-signed certificate. It is trusted in addition to the public authorities, and TLS is required. `SMTP_URL` must be set too.',
    parse: parse.matching(/\.(pem|crt|cer)$/, 'must name a file that ends in .pem, .crt or .cer'),
    needs: 'SMTP_URL',
    unset: 'the public authorities, and those of `NODE_EXTRA_CA_CERTS`',
  }),
  smtpName: optional({
    variable: 'SMTP_NAME',
    readBy: 'worker',
    summary:
      'The name with which the worker greets the mail server (`EHLO`): `panel.example.com`. `SMTP_URL` must be set too.',
    parse: parse.matching(
      /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z]([a-z\d-]{0,61}[a-z\d])?$/i,
      'must be a host name with a dot, in ASCII',
    ),
    needs: 'SMTP_URL',
    unset: 'the host of `PUBLIC_URL` if it is a name with a dot, or else the domain of `MAIL_FROM`',
  }),
  mailFrom: optional({
    variable: 'MAIL_FROM',
    readBy: 'worker',
    summary:
      'The sender of emails: `notices@example.com`, or `Example <notices@example.com>`. `SMTP_URL` must be set too.',
    parse: parse.mailAddress,
    needs: 'SMTP_URL',
    unset: 'no email is sent',
  }),
  mailDigestSeconds: defaulting({
    variable: 'MAIL_DIGEST_SECONDS',
    readBy: 'worker',
    summary:
      'After an email, further notices of the same person wait this long, in seconds, and are sent in one email. Notices about the security of an account never wait. `0` sends each notice on its own.',
    parse: parse.integer(0, mailDigestSecondsMax),
    fallback: '300',
  }),
}

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
