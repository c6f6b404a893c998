import { runbookHtml, runbookPath } from '../runbook.ts'
import type { OperatorsPage } from './document.tsx'

/** docs/operations.md. We write the text, so it is not escaped, and it gets the configured names. */
export const createRunbookPage = (renameHtml: (html: string) => string): OperatorsPage => ({
  title: 'Runbook',
  path: runbookPath,
  body: <div dangerouslySetInnerHTML={{ __html: renameHtml(runbookHtml) }} />,
})
