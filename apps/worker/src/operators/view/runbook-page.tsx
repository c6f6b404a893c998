import { runbookHtml, runbookPath } from '../runbook.ts'
import type { OperatorsPage } from './document.tsx'

/** docs/operations.md. We write the text, so it is not escaped. */
export const runbookPage: OperatorsPage = {
  title: 'Runbook',
  path: runbookPath,
  body: <div dangerouslySetInnerHTML={{ __html: runbookHtml }} />,
}
