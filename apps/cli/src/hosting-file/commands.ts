import { getServer, signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import * as option from '../options.ts'
import { requireConfirmation } from '../terminal/confirm.ts'
import type { Step } from './plan.ts'

// The parser of YAML and the validator are loaded only by these commands.

const fileOptions = {
  file: option.text('path', 'The file (default hosting.yaml)'),
  delete: option.flag('Delete and revoke what has an external id that the file does not name'),
  resendHeaders: option.flag(
    'Send the values of custom headers again: the service does not return them, so another value is not seen',
  ),
}

interface FileInputs {
  readonly file?: string | undefined
  readonly delete?: boolean | undefined
  readonly resendHeaders?: boolean | undefined
}

/** Compares the file with the service. The file is read before the first request. */
async function planFor(
  context: Context,
  inputs: FileInputs,
  isUnstored: (kind: 'keys' | 'webhooks', externalId: string) => boolean = () => false,
): Promise<Step[]> {
  const { readHostingFile } = await import('./hosting-file.ts')
  const { readNamed } = await import('./current.ts')
  const { makePlan } = await import('./plan.ts')
  const file = await readHostingFile(context.environment, inputs.file)
  const deletes = inputs.delete === true
  const current = await readNamed(await signedInClient(context), file, deletes)
  const resendsHeaders = inputs.resendHeaders === true
  return makePlan(file, current, { deletes, resendsHeaders, isUnstored })
}

const exportAll = command({
  path: 'export',
  summary: 'Print a hosting.yaml of the endpoints and organization keys that have an external id',
  examples: ['hctl export'],
  async run(context) {
    const { readAll } = await import('./current.ts')
    const { toFile, toYaml } = await import('./export.ts')
    const { output } = context
    const current = await readAll(await signedInClient(context))
    const { file, variables } = toFile(current)
    const yaml = toYaml(file, await getServer(context)).trimEnd()
    output.result(file, yaml.split('\n'))
    for (const [noun, records] of Object.entries(current.unnamed)) {
      if (records.length === 0) continue
      const ids = records.map(({ id }) => id).join(', ')
      output.note(
        `Without an external id, so not in the file: ${noun} ${ids}. Set one with hctl ${noun} update ID --external-id NAME.`,
      )
    }
    if (variables.length > 0) {
      output.note(`The file takes from the environment: ${variables.join(', ')}.`)
    }
  },
})

const plan = command({
  path: 'plan',
  summary: 'Show what hctl apply would change; exits with 0 for nothing and 2 for changes',
  examples: ['hctl plan', 'hctl plan --delete --json'],
  options: fileOptions,
  async run(context, inputs) {
    const steps = await planFor(context, inputs).catch((error: unknown) => {
      throw withoutCodeOfChanges(error)
    })
    const { planLines, toJson } = await import('./display.ts')
    const { output } = context
    const lines = steps.length === 0 ? ['No changes.'] : planLines(steps, output)
    output.result({ changes: steps.map(toJson) }, lines)
    return steps.length === 0 ? exitCodes.ok : exitCodes.changes
  },
})

/** An error that exits with 2 elsewhere, such as a missing sign-in, is not a change. */
function withoutCodeOfChanges(error: unknown): unknown {
  if (!(error instanceof CliError) || error.exitCode !== exitCodes.changes) return error
  const { code, message, hint } = error
  return new CliError(code, message, hint === undefined ? {} : { hint })
}

const apply = command({
  path: 'apply',
  summary: 'Create, change and, with --delete, delete endpoints and keys as hosting.yaml says',
  examples: ['hctl apply', 'hctl apply --yes --delete --secrets-to secrets.json'],
  options: {
    ...fileOptions,
    secretsTo: option.text(
      'path',
      'Write new secrets and tokens to this file, which only you can read, instead of printing them',
    ),
    yes: option.yes,
  },
  async run(context, { secretsTo, yes, ...inputs }) {
    const { SecretsFile } = await import('./secrets-file.ts')
    const secrets = secretsTo === undefined ? undefined : await SecretsFile.open(secretsTo)
    const steps = await planFor(
      context,
      inputs,
      (...object) => secrets?.isUnstored(...object) ?? false,
    )
    const { output } = context
    if (steps.length === 0) {
      output.note('Nothing to change.')
      return
    }
    const { planLines } = await import('./display.ts')
    if (!output.json) output.lines([...planLines(steps, output), ''])
    const deleted = steps.filter(({ action }) => action === 'delete').length
    if (deleted > 0 && !yes) {
      const what = deleted === 1 ? 'this object' : `these ${deleted} objects`
      await requireConfirmation(context, `Delete ${what} permanently, and make the other changes?`)
    }
    const { Changer } = await import('./make-changes.ts')
    const { applyPlan } = await import('./apply.ts')
    await applyPlan(context, steps, new Changer(await signedInClient(context), secrets))
  },
})

export const hostingFileCommands = [exportAll, plan, apply]
