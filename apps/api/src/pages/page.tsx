import { renderDocument, sendPage, type PagePolicy } from '@hosting/pages'
import type { RequestHandler } from 'express'
import type { ComponentChildren } from 'preact'
import { icon, referenceStyle } from '../assets.ts'

/** Such a page runs nothing, and loads its style and icon alone. */
const policy: PagePolicy = {
  loads: ["style-src 'self'", "img-src 'self'"],
  formAction: "'none'",
}

/** Serves a page to read. It is the same for everybody: it is made once. */
export function serveText(title: string, content: ComponentChildren): RequestHandler {
  const page = Buffer.from(
    renderDocument({ title, style: referenceStyle, icon, body: <main>{content}</main> }),
  )
  return (_req, res) => sendPage(res, page, policy)
}

/** Text with its `code` in backticks marked up. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((piece, index) => (index % 2 === 1 ? <code>{piece}</code> : piece))}</>
)
