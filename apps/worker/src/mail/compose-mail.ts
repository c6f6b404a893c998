import { publicUrlOf, type Config, type MailAddress } from '@hosting/core/configuration'
import {
  describeNotice,
  mailedNoticesMax,
  mailSubjectOf,
  mergeIncidents,
  noticeAction,
} from '@hosting/core/notices'
import { toOneLine } from '@hosting/core/text'
import type { ClaimedMail } from '@hosting/postgres/notices'
import { domainToASCII } from 'node:url'
import MailComposer from 'nodemailer/lib/mail-composer'

/** A mail as it is sent. */
export interface Mail {
  /** The addresses of the envelope, with their domains in ASCII. */
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

/**
 * Composes the email of one notice or of several, as text and HTML. Its subject says what happened, and its button leads
 * to what the notices are about or, if that are several things, to the list of notices. It loads nothing from anywhere.
 * The recovery from an incident whose failure was mailed answers that email, so that mail programs show both as one.
 */
export async function composeMail(mail: ClaimedMail, { from, panelUrl }: MailFrame): Promise<Mail> {
  const { answers, digestId, email } = mail
  const notices = mergeIncidents(mail.notices)
  const tenantName = toOneLine(mail.tenantName)
  const first = notices[0] ?? mail.notices[0]
  const isDigest = notices.length > 1
  const others = isDigest ? ` (and ${notices.length - 1} more)` : ''
  const described = notices.slice(0, mailedNoticesMax).map(describeNotice)
  const { path } = describeNotice(first)
  const isOfOne = described.every((each) => each.path === path)
  const parts: MailParts = {
    title: `${mailSubjectOf(first)}${others}`,
    items: described.map((each) => ({
      title: each.title,
      text: each.text,
      url: `${panelUrl}${each.path}`,
    })),
    isDigest,
    more: notices.length - described.length,
    action: isOfOne ? noticeAction(first) : 'View notices',
    url: `${panelUrl}${isOfOne ? path : '/notices'}`,
    footer: `You receive this email because of your account in ${tenantName}.`,
    settingsUrl: `${panelUrl}/security#notifications`,
  }
  const sender = withAsciiDomain(from.address)
  const messageIdOf = (id: string) => `<${id}@${sender.split('@')[1]}>`
  const composer = new MailComposer({
    from,
    to: { name: '', address: email },
    subject: answers ? `Re: ${mailSubjectOf(answers)}` : parts.title,
    messageId: messageIdOf(digestId),
    // RFC 5322, section 3.6.4.
    ...(answers && {
      inReplyTo: messageIdOf(answers.digestId),
      references: messageIdOf(answers.digestId),
    }),
    date: mail.notices[0].createdAt,
    // RFC 3834, section 5: no automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: toText(parts),
    html: toHtml(parts),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const message = await composer.compile().build()
  return { from: sender, to: withAsciiDomain(email), message }
}

/** A server without SMTPUTF8 (RFC 6531) accepts other characters neither in an envelope nor in a header. */
function withAsciiDomain(address: string): string {
  const start = address.lastIndexOf('@') + 1
  const domain = address.slice(start)
  // An address literal, such as [192.0.2.1], has no form in ASCII but its own.
  return address.slice(0, start) + (domainToASCII(domain) || domain)
}

interface MailParts {
  readonly title: string
  readonly items: readonly { readonly title: string; readonly text: string; readonly url: string }[]
  readonly isDigest: boolean
  /** Notices that are not described. */
  readonly more: number
  /** What the button says, and where it leads. */
  readonly action: string
  readonly url: string
  readonly footer: string
  readonly settingsUrl: string
}

const moreText = (count: number): string => `And ${count} more in the panel.`

function toText({
  title,
  items,
  isDigest,
  more,
  action,
  url,
  footer,
  settingsUrl,
}: MailParts): string {
  const texts = items.map((item) =>
    isDigest ? `${item.title}\n${item.text}\n${item.url}` : item.text,
  )
  return [
    title,
    ...texts,
    ...(more > 0 ? [moreText(more)] : []),
    `${action}: ${url}`,
    `-- \n${footer}\nChoose which emails you get: ${settingsUrl}\n`,
  ].join('\n\n')
}

const buttonStyle =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#4046ca;color:#ffffff;font-weight:600;text-decoration:none'

function toHtml(parts: MailParts): string {
  const { items, isDigest, more } = parts
  const [title, action, url, footer, settingsUrl] = [
    parts.title,
    parts.action,
    parts.url,
    parts.footer,
    parts.settingsUrl,
  ].map(escapeHtml)
  const texts = items.map((item) => {
    const text = `<p>${escapeHtml(item.text)}</p>`
    return isDigest
      ? `<h2 style="margin:24px 0 0;font-size:16px"><a href="${escapeHtml(item.url)}">${escapeHtml(item.title)}</a></h2>\n${text}`
      : text
  })
  if (more > 0) texts.push(`<p>${moreText(more)}</p>`)
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body style="margin:0 auto;padding:24px;max-width:36em;font:16px/1.5 system-ui,sans-serif">
<h1 style="font-size:20px">${title}</h1>
${texts.join('\n')}
<p style="margin:24px 0"><a style="${buttonStyle}" href="${url}">${action}</a></p>
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
