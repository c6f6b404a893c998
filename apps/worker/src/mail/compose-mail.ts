import { publicUrlOf, type Config, type MailAddress } from '@hosting/core/configuration'
import { describeNotice } from '@hosting/core/notices'
import type { ClaimedMail } from '@hosting/postgres/notices'
import MailComposer from 'nodemailer/lib/mail-composer'

/** A mail as it is sent. */
export interface Mail {
  readonly from: string
  readonly to: string
  /** The message with its header. The same mail always has the same Message-ID. */
  readonly message: Buffer
}

/** What mails have in common. */
export interface MailFrame {
  readonly from: MailAddress
  /** The URL of the panel, without a slash at its end. */
  readonly panelUrl: string
}

/** The frame of this installation's mails, or `undefined` if mail is not configured. */
export const mailFrameOf = (config: Config): MailFrame | undefined =>
  config.mailFrom && {
    from: { name: config.mailFrom.name ?? config.brandName, address: config.mailFrom.address },
    panelUrl: publicUrlOf(config),
  }

/** Composes the mail of a notice, as text and HTML. It loads nothing from anywhere. */
export async function composeMail(
  notice: ClaimedMail,
  { from, panelUrl }: MailFrame,
): Promise<Mail> {
  const { title, text, path } = describeNotice(notice)
  const parts = {
    title,
    text,
    url: `${panelUrl}${path}`,
    footer: `You receive this email because of your account in ${notice.tenantName}.`,
    settingsUrl: `${panelUrl}/security#notifications`,
  }
  const composer = new MailComposer({
    from,
    to: { name: '', address: notice.email },
    subject: title,
    messageId: `<${notice.noticeId}@${from.address.split('@')[1]}>`,
    date: notice.createdAt,
    // RFC 3834, section 5: no automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: toText(parts),
    html: toHtml(parts),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const message = await composer.compile().build()
  return { from: from.address, to: notice.email, message }
}

interface MailParts {
  readonly title: string
  readonly text: string
  readonly url: string
  readonly footer: string
  readonly settingsUrl: string
}

const toText = ({ title, text, url, footer, settingsUrl }: MailParts): string =>
  `${title}\n\n${text}\n\n${url}\n\n-- \n${footer}\nChoose which emails you get: ${settingsUrl}\n`

function toHtml(parts: MailParts): string {
  const { title, text, url, footer, settingsUrl } = Object.fromEntries(
    Object.entries(parts).map(([name, value]) => [name, escapeHtml(value as string)]),
  ) as unknown as MailParts
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body style="margin:0 auto;padding:24px;max-width:36em;font:16px/1.5 system-ui,sans-serif">
<h1 style="font-size:20px">${title}</h1>
<p>${text}</p>
<p><a href="${url}">Open in the panel</a></p>
<hr>
<p style="font-size:13px">${footer} <a href="${settingsUrl}">Choose which emails you get</a>.</p>
</body>
</html>
`
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character]!)
