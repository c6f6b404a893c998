import {
  standardVerifiers,
  stripeVerifiers,
  type Verifier,
} from '../../test/interop/verifiers/verifiers.ts'
import { markdownTable } from './markdown-table.ts'

/** The functions of Stripe's libraries that verify `Service-Signature`, for docs/webhooks.md. */
export const stripeVerifierTable = (): string => tableOf(stripeVerifiers)

/** The functions that verify the headers of Standard Webhooks, for docs/webhooks.md. */
export const standardVerifierTable = (): string => tableOf(standardVerifiers)

function tableOf(verifiers: readonly Verifier[]): string {
  const rows = verifiers.map(({ language, library, version, setup, call, handler, avoid }) => {
    const calls = [...(setup === undefined ? [] : [setup]), call].map((code) => `\`${code}\``)
    const text = calls.join(', then ') + (handler === 'fetch' ? ' in a fetch-style handler' : '')
    return [language, `${library} ${version}`, avoid ? `Not ${text}: ${avoid.because}.` : text]
  })
  return markdownTable(['Language', 'Library', 'Call'], rows)
}
