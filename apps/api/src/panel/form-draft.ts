import { createUuidv7 } from '@hosting/core/ids'
import { formDraftSeconds, formDraftsMax } from '@hosting/core/sessions'
import { createFormDraft, takeFormDraft } from '../api/for-pages.ts'
import type { Request, Response } from 'express'
import type { Services } from '../api/services.ts'
import { findPageCookie } from './cookies.ts'
import { SubmittedForm } from './form.ts'
import { decryptFlashSecret, encryptFlashSecret, type FlashTarget } from './flash-secret.ts'
import type { Page, PageRequest } from './page.ts'
import { ownerNameOf, personOf, type MarkedPerson } from './person-mark.ts'
import { setCookie } from './response.ts'
import type { RejectedForm } from './view/context.ts'

const cookieName = 'form'
/** Browsers accept cookies of up to 4,096 bytes. */
const cookieBytesMax = 3_800

/** Fields that are never saved: secrets, and fields that every submission has. */
const neverSaved =
  /password|totp_code|typed_code|^passkey$|identity_token|^headers$|^(csrf_token|person|do|next)$/

/** The fields of a form that may be saved. Of custom headers, these are the names. */
export const savedFieldsOf = (form: SubmittedForm): [name: string, value: unknown][] => {
  const headerNames = [...(form.text('headers') ?? '').matchAll(headerName)].map(([name]) => name)
  return [
    ...form.entries().filter(([name]) => !neverSaved.test(name)),
    ...(headerNames.length > 0
      ? [['headers', headerNames.map((name) => `${name}: `).join('\n')] as [string, string]]
      : []),
  ]
}

/** The name of a header at the start of its line. */
const headerName = /^[ \t]*[\w-]+(?=[ \t]*:)/gm

/** Why a form without errors was not submitted. */
const interruptions = {
  reauthentication_required: 'Identity confirmed',
  authentication_required: 'The form is from an earlier session',
} as const

interface DraftText {
  readonly action: string
  readonly fields: readonly [string, unknown][]
  /** Without errors, the form was only interrupted. */
  readonly errors?: ReturnType<typeof toErrors>
  readonly interruption?: keyof typeof interruptions
}

/** A form to save, with the page that it belongs to. */
export interface Draft {
  readonly action: string
  /** The path of the page in the table of pages. */
  readonly page: string
  /** The path of the request. */
  readonly path: string
  readonly form: SubmittedForm
  /** Who gets it back; `undefined` before sign-in. */
  readonly person: MarkedPerson | undefined
  readonly now: Date
  readonly reason: RejectedForm | keyof typeof interruptions
}

/**
 * Saves a submitted form until its page shows it again, encrypted for its page and person. A signed-in person's form is
 * stored, and the cookie only names it, so its size is not limited. Before sign-in nothing is stored: the cookie
 * contains the form, and only its errors if it is too large.
 */
export async function saveDraft(
  services: Services,
  res: Response,
  { action, page, path, form, person, now, reason }: Draft,
): Promise<void> {
  const encrypt = (fields: DraftText['fields']): string => {
    const draft: DraftText = {
      action,
      fields,
      ...(typeof reason === 'string' ? { interruption: reason } : { errors: toErrors(reason) }),
    }
    const given = { text: JSON.stringify(draft), seconds: formDraftSeconds, now }
    return encryptFlashSecret(services.serverSecret, targetOf(path, person), given)
  }
  const setDraftCookie = (value: string): void =>
    setCookie(res, services, { name: cookieName, value, path, seconds: formDraftSeconds })
  const encrypted = encrypt(savedFieldsOf(form))
  if (!person) {
    setDraftCookie(encrypted.length > cookieBytesMax ? encrypt([]) : encrypted)
    return
  }
  const id = createUuidv7()
  const { userId } = person
  const limits = { draftsMax: formDraftsMax, lifetimeMs: formDraftSeconds * 1_000 }
  await createFormDraft(services.database, { id, userId, page, content: encrypted }, limits)
  setDraftCookie(id)
}

const toErrors = ({ code, title, detail, errors }: RejectedForm) => ({
  code,
  title,
  detail,
  errors: [...errors],
})

/** Takes the form that was saved for the page and person of a request. It is shown once. */
export async function takeDraft(
  { path: page }: Pick<Page, 'path'>,
  { req, res, pageRequest }: { req: Request; res: Response; pageRequest: PageRequest },
): Promise<RejectedForm | undefined> {
  const value = findPageCookie(req, cookieName)
  if (value === undefined) return undefined
  const { services, caller, now } = pageRequest
  const { path } = req
  const encrypted = caller
    ? await takeFormDraft(services.database, { id: value, userId: caller.user.id, page })
    : value
  if (encrypted === undefined) return undefined
  const target = targetOf(path, caller && personOf(caller))
  const text = decryptFlashSecret(services.serverSecrets, target, { encrypted, now })
  if (text === undefined) return undefined
  setCookie(res, services, { name: cookieName, value: '', path, seconds: 0 })
  return toRejectedForm(JSON.parse(text) as DraftText)
}

function toRejectedForm({
  action,
  fields,
  errors,
  interruption = 'reauthentication_required',
}: DraftText): RejectedForm {
  const form = new SubmittedForm(Object.fromEntries(fields))
  if (errors) return { ...errors, action, form, errors: new Map(errors.errors) }
  return {
    action,
    form,
    code: interruption,
    title: interruptions[interruption],
    detail:
      'Nothing was changed yet. Your entries are still here, except passwords and other secrets. Submit the form again.',
    errors: new Map(),
    isInterrupted: true,
  }
}

/** The prefix keeps drafts apart from flash secrets. */
const targetOf = (path: string, person: MarkedPerson | undefined): FlashTarget => ({
  path: `form ${path}`,
  owner: person && ownerNameOf(person),
})
