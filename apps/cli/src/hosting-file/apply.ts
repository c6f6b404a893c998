import { ConnectionError } from '@hosting/sdk'
import { getServer } from '../auth/sign-in.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodeOf, exitCodes, isKeyRefused, isUnreachable } from '../exit-codes.ts'
import { toFailure } from '../failure.ts'
import { policyFormUrl } from '../policy/commands.ts'
import { oneTimeSecretLines, printable } from '../terminal/text.ts'
import { subjectOf, toJson } from './display.ts'
import { NeedsPerson, type Changer, type Made } from './make-changes.ts'
import type { Step } from './plan.ts'
import { secretMembers } from './secrets-file.ts'

/** How the steps of a plan ended. */
interface Progress {
  readonly failed: Step[]
  readonly skipped: Step[]
  /** The first error. */
  error?: unknown
  /** No further request can succeed. */
  isOver: boolean
}

/**
 * Makes the changes of a plan one after another and prints each as soon as it is made.
 *
 * @throws CliError if one was not made. What does not depend on it is made first.
 */
export async function applyPlan(
  context: Context,
  steps: readonly Step[],
  changer: Changer,
): Promise<void> {
  const progress: Progress = { failed: [], skipped: [], isOver: false }
  for (const step of steps) {
    const reason = reasonToSkip(step, progress)
    if (reason === undefined) await tryStep(context, step, { changer, progress })
    else {
      progress.skipped.push(step)
      report(context, step, { status: 'skipped', reason })
    }
  }
  const left = progress.failed.length + progress.skipped.length
  if (left === 0) {
    context.output.note(`${steps.length === 1 ? '1 change' : `${steps.length} changes`} made.`)
    return
  }
  throw new CliError('incomplete', `${left} of ${steps.length} changes were not made.`, {
    exitCode: progress.error instanceof NeedsPerson ? exitCodes.failed : exitCodeOf(progress.error),
    hint: 'Run hctl apply again when the reasons above are gone. It does only what is left.',
  })
}

/** What a step depends on and was not made. */
function reasonToSkip(step: Step, { failed, skipped, isOver }: Progress): string | undefined {
  if (isOver) return 'the service cannot be used at the moment'
  const left = [...failed, ...skipped]
  if (step.action === 'delete' && left.length > 0) return 'other changes come before it'
  return step.kind === 'keys' && left.some(({ kind }) => kind === 'key_policy')
    ? 'the key policy comes before it'
    : undefined
}

async function tryStep(
  context: Context,
  step: Step,
  { changer, progress }: { changer: Changer; progress: Progress },
): Promise<void> {
  try {
    report(context, step, { status: 'done', ...(await changer.make(step)) })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    progress.error ??= error
    progress.failed.push(step)
    progress.isOver = isKeyRefused(error) || isUnreachable(error) || isLimited(error)
    report(context, step, { status: 'failed', ...(await explain(context, step, error)) })
  }
}

const isLimited = (error: Error): boolean =>
  !(error instanceof ConnectionError) && exitCodeOf(error) === exitCodes.rateLimited

interface Ending extends Made {
  readonly status: 'done' | 'failed' | 'skipped'
  readonly reason?: string
  readonly error?: object
}

async function explain(context: Context, step: Step, error: Error) {
  if (!(error instanceof NeedsPerson)) {
    const failure = toFailure(error)!
    const fields = failure.errors?.map(({ pointer, message }) => `${pointer} ${message}`) ?? []
    return {
      reason: [failure.message, ...fields, failure.hint ?? ''].join(' ').trim(),
      error: failure,
    }
  }
  const where =
    step.action === 'update' && step.kind === 'key_policy'
      ? ` ${policyFormUrl(await getServer(context), step.policy)}`
      : ''
  const reason = error.message + where
  return { reason, error: { code: 'needs_person', message: reason } }
}

const verbs = { create: 'created', update: 'changed', delete: 'deleted' } as const
const verbOf = (step: Step): string => {
  if (step.action === 'renew_secret') return 'has another secret'
  return step.action === 'delete' && step.kind === 'keys' ? 'revoked' : verbs[step.action]
}

function report({ output }: Context, step: Step, { reason, secret, ...ending }: Ending): void {
  const member = step.kind === 'key_policy' ? 'secret' : secretMembers[step.kind]
  const { status } = ending
  if (output.json) {
    const { action, kind, external_id: externalId, id } = toJson(step)
    const subject = { action, kind, external_id: externalId, id }
    const said = ending.error ? {} : { reason }
    output.jsonLine({ ...subject, ...ending, ...said, ...(secret && { [member]: secret }) })
    return
  }
  const subject = subjectOf(step)
  if (status === 'done') {
    const lines = secret ? oneTimeSecretLines(secretLabels[member], secret) : []
    output.lines([`${output.styled('green', '✓')} ${subject} ${verbOf(step)}`, ...lines])
  } else {
    const mark = status === 'failed' ? output.styled('red', '✗') : '-'
    output.lines([`${mark} ${subject} ${status}: ${printable(reason ?? '')}`])
  }
}

const secretLabels = { secret: 'Signing secret', token: 'Token' } as const
