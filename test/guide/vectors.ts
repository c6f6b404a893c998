import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import type { WebhookVector } from '../../tools/generate/webhook-vectors.ts'

export type Vector = WebhookVector

/** docs/webhooks/vectors.json, as a reader of the guide gets it. */
export const readVectors = (): readonly Vector[] =>
  JSON.parse(readFileSync(`${root}docs/webhooks/vectors.json`, 'utf8')) as Vector[]
