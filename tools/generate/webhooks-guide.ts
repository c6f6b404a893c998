import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { root } from '../run.ts'
import { errorClassTable } from './delivery-words.ts'
import { noticeOf } from './notice.ts'
import { webhookVectors } from './webhook-vectors.ts'

/** GitHub's name for the language of a file. */
const languages: Readonly<Record<string, string>> = {
  '.go': 'go',
  '.http': 'http',
  '.php': 'php',
  '.py': 'python',
  '.rb': 'ruby',
  '.ts': 'ts',
}

/** docs/webhooks.md: the template, with each line `{{file}}` replaced by that file, or the table of error classes. */
export const webhooksGuide = (): string =>
  noticeOf('docs/webhooks/guide.md and the files beside it') +
  read('guide.md').replaceAll(/^\{\{(.+)\}\}$/gm, (_line, file: string) => partOf(file))

const read = (file: string): string => readFileSync(`${root}docs/webhooks/${file}`, 'utf8')

function partOf(file: string): string {
  if (file === 'error-classes') return errorClassTable()
  const text = file === 'example.http' ? exampleRequest() : read(file)
  return `\`\`\`${languages[extname(file)]}\n${text.trimEnd()}\n\`\`\``
}

/** The first vector, as it arrives. */
function exampleRequest(): string {
  const [{ header, body, now }] = webhookVectors as [(typeof webhookVectors)[number]]
  return `POST /webhooks HTTP/1.1
Host: receiver.example
Content-Type: application/json
Content-Length: ${Buffer.byteLength(body)}
User-Agent: Service-Webhooks/1
Service-Event: ${(JSON.parse(body) as { type: string }).type}
Service-Delivery: 0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47
Service-Timestamp: ${now}
Service-Signature: ${header}

${body}`
}
