import { readFileSync } from 'node:fs'
import { root } from '../run.ts'

/** The files of docs/webhooks by the name of their language. */
const files = {
  TypeScript: 'verify.ts',
  Python: 'verify.py',
  PHP: 'verify.php',
  Go: 'verify.go',
  Ruby: 'verify.rb',
}

/** apps/api/assets/verify-snippets.json: the code of the webhook guide, for the panel. */
export function verifySnippets(): string {
  const code = Object.entries(files).map(([language, file]) => [
    language,
    readFileSync(`${root}docs/webhooks/${file}`, 'utf8').trimEnd(),
  ])
  return `${JSON.stringify(Object.fromEntries(code), null, 2)}\n`
}
