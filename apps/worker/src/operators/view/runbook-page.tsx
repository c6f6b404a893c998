import { runbookHtml, runbookPath } from '../runbook.ts'
import type { OperatorsPage } from './document.tsx'

/** docs/operations.md: text of ours alone, so it is shown as it is. */
export const runbookPage: OperatorsPage = {
  title: 'Runbook',
  path: runbookPath,
  body: <div dangerouslySetInnerHTML={{ __html: runbookHtml }} />,
}
