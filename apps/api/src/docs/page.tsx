import { renderDocument, sendPage, type PagePolicy } from '@hosting/html'
import type { RequestHandler } from 'express'
import type { ComponentChildren } from 'preact'
import { icon, referenceStyle } from '../assets.ts'

/** These pages run no scripts and load only their style sheet and icon. */
const policy: PagePolicy = {
  loads: ["style-src 'self'", "img-src 'self'"],
  formAction: "'none'",
}

/** Serves a static page. It is the same for everyone, so it is rendered once. */
export function serveText(title: string, content: ComponentChildren): RequestHandler {
  const page = Buffer.from(
    renderDocument({ title, style: referenceStyle, icon, body: <main>{content}</main> }),
  )
  return (_req, res) => sendPage(res, page, policy)
}

/** Text in which backticks mark code. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((piece, index) => (index % 2 === 1 ? <code>{piece}</code> : piece))}</>
)
