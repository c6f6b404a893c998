import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import type { WebhookVector } from '../../tools/generate/webhook-vectors.ts'

export type Vector = WebhookVector

/** docs/generated/webhook-vectors.json, as the guide's readers get it. */
export const readVectors = (): readonly Vector[] =>
  JSON.parse(readFileSync(`${root}docs/generated/webhook-vectors.json`, 'utf8')) as Vector[]
