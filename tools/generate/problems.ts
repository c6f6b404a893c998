import { internalProblems, problemCatalog } from '@hosting/core/problems'
import { noticeOf } from './notice.ts'

/** docs/generated/problems.md */
export const problemsDocument =
  (): string => `${noticeOf('packages/core/src/problems/problems.ts')}# Problems

Every error is a problem document (RFC 9457) with one of these codes. The service shows each at
\`/problems/<code>\`.

${Object.entries(problemCatalog)
  .map(([code, { status, title, detail, explanation }]) => {
    const text = `## ${code}\n\n${status} ${title}. ${explanation}\n\n> ${detail}\n`
    return internalProblems.has(code) ? `<!-- platform -->\n\n${text}\n<!-- /platform -->\n` : text
  })
  .join('\n')}`
