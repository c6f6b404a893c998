import { ApiProblem, type BodyOf, type Client } from '@hosting/sdk'
import type { Kind, Settings } from './hosting-file.ts'
import type { Step } from './plan.ts'
import { secretMembers, type SecretsFile } from './secrets-file.ts'

/** What a step made. */
export interface Made {
  readonly id?: string
  /** Returned once, and not written to a file. */
  readonly secret?: string
}

/** A change that only a person can make. */
export class NeedsPerson extends Error {
  override readonly name = 'NeedsPerson'
}

type Created = { readonly id: string; readonly secret: string | null }

/** Makes changes with a client; secrets go to a file if there is one. */
export class Changer {
  readonly #client: Client
  readonly #secrets: SecretsFile | undefined

  constructor(client: Client, secrets: SecretsFile | undefined) {
    this.#client = client
    this.#secrets = secrets
  }

  /** @throws ApiProblem, ConnectionError or NeedsPerson. */
  async make(step: Step): Promise<Made> {
    if (step.action === 'create') return this.#create(step)
    if (step.action === 'renew_secret') return this.#renewSecret(step)
    if (step.kind === 'key_policy') {
      throw new NeedsPerson('An API key cannot change the key policy. An administrator can.')
    }
    const { kind, id } = step
    if (step.action === 'delete') await this.#delete(kind, id)
    else {
      if (step.body) await this.#update(kind, id, step.body)
      const fixed = step.differences.find((difference) => difference.fixed)
      if (fixed) throw new NeedsPerson(`${fixed.field}: ${fixed.fixed}`)
    }
    return { id }
  }

  async #create(step: Extract<Step, { action: 'create' }>): Promise<Made> {
    const { kind, externalId, settings } = step
    const makesSecret = kind === 'webhooks' || !settings['workload']
    if (makesSecret) await this.#secrets?.announce(kind, externalId)
    const created = await this.#tryCreate(step)
    const stored = await this.#store(kind, externalId, makesSecret, created)
    // A new key is enabled.
    if (kind === 'keys' && settings['enabled'] === false) {
      await this.#update(kind, created.id, { enabled: false })
    }
    return stored
  }

  async #tryCreate({ kind, externalId, settings }: Extract<Step, { action: 'create' }>) {
    try {
      return await this.#send(kind, { ...settings, external_id: externalId })
    } catch (error) {
      const isRefused = error instanceof ApiProblem && error.status >= 400 && error.status < 500
      if (isRefused) await this.#secrets?.withdraw(kind, externalId)
      throw error
    }
  }

  /** The secret is null if the response with it was lost. */
  async #send(kind: Kind, body: Settings): Promise<Created> {
    try {
      if (kind === 'webhooks') {
        const made = await this.#client.POST('/webhooks', {
          body: body as BodyOf<'/webhooks', 'post'>,
        })
        return { id: made.webhook.id, secret: made.secret }
      }
      const { enabled: _later, ...others } = body
      const made = await this.#client.POST('/api-keys', {
        body: { ...others, kind: 'organization' } as BodyOf<'/api-keys', 'post'>,
      })
      return { id: made.key.id, secret: made.token }
    } catch (error) {
      const id = idOfUnrepeated(error)
      if (id === undefined) throw error
      return { id, secret: null }
    }
  }

  async #store(
    kind: Kind,
    externalId: string,
    makesSecret: boolean,
    { id, secret }: Created,
  ): Promise<Made> {
    if (!makesSecret) return { id }
    const known = secret ?? (await this.#rotate(kind, id))
    if (!this.#secrets) return { id, secret: known }
    await this.#secrets.store(kind, externalId, { id, secret: known })
    return { id }
  }

  async #renewSecret({ kind, externalId, id }: Extract<Step, { action: 'renew_secret' }>) {
    return this.#store(kind, externalId, true, { id, secret: null })
  }

  /** Replaces a secret that nobody has. If somebody has it after all, it stays valid for the overlap period. */
  async #rotate(kind: Kind, id: string): Promise<string> {
    const init = { params: { path: { id } }, body: { grace_seconds: overlapSeconds } }
    const made: unknown = await (kind === 'webhooks'
      ? this.#client.POST('/webhooks/{id}/rotate-secret', init)
      : this.#client.POST('/api-keys/{id}/rotate', init))
    return (made as Readonly<Record<string, string>>)[secretMembers[kind]]!
  }

  async #update(kind: Kind, id: string, body: Settings): Promise<void> {
    const init = { params: { path: { id } }, body }
    if (kind === 'webhooks') await this.#client.PATCH('/webhooks/{id}', init)
    else await this.#client.PATCH('/api-keys/{id}', init)
  }

  async #delete(kind: Kind, id: string): Promise<void> {
    const init = { params: { path: { id } } }
    if (kind === 'webhooks') await this.#client.DELETE('/webhooks/{id}', init)
    else await this.#client.DELETE('/api-keys/{id}', init)
  }
}

const overlapSeconds = 3_600

/** The id of the object that a request made whose first response was lost. */
function idOfUnrepeated(error: unknown): string | undefined {
  if (!(error instanceof ApiProblem) || error.code !== 'secret_not_repeated') return undefined
  const { key, webhook } = error.body as { key?: { id: string }; webhook?: { id: string } }
  return (key ?? webhook)?.id
}
