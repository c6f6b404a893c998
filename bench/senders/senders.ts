import type { HttpClientName } from '@hosting/core/configuration'
import type { AddressPolicy } from '@hosting/core/network'
import {
  createSender,
  type Sender,
  type SenderOptions,
} from '../../apps/worker/src/delivery/send.ts'
import { createUndiciSender } from './undici.ts'

type CreateSender = (policy: AddressPolicy, options: Omit<SenderOptions, 'httpClient'>) => Sender

const createSenderOf =
  (httpClient: HttpClientName): CreateSender =>
  (policy, options) =>
    createSender(policy, { ...options, httpClient })

/** The HTTP clients of `WEBHOOK_HTTP_CLIENT`, and undici for comparison. */
export const senders: Readonly<Record<HttpClientName | 'undici', CreateSender>> = {
  got: createSenderOf('got'),
  node: createSenderOf('node'),
  undici: createUndiciSender,
}
