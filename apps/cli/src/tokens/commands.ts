import { ApiProblem, ConnectionError, exchangeToken, revokeToken, type Client } from '@hosting/sdk'
import { appendFile } from 'node:fs/promises'
import { clientFor, findSignIn, getServer } from '../auth/sign-in.ts'
import { readToken } from '../auth/token.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../exit-codes.ts'
import * as option from '../options.ts'
import { shellQuoted } from '../terminal/text.ts'
import { findIdentitySource, tokenVariable, type IdentitySource } from './identity-token.ts'

const exchange = command({
  path: 'token exchange',
  summary: 'Exchange the identity token of a CI job for a short-lived token of a workload key',
  examples: ['export HCTL_TOKEN=$(hctl token exchange --key k7m2q4x6z3ab)'],
  options: {
    key: option.text('id', 'Id of the workload key; needed in GitHub Actions'),
    audience: option.text('text', 'Audience of the key, if not <server>/workloads/<id>'),
    file: option.text(
      'path',
      `Read the identity token from a file, or - for standard input; otherwise ${tokenVariable}, or in GitHub Actions the runner`,
    ),
    export: option.flag(
      'Pass HCTL_TOKEN and HCTL_URL on: in GitHub Actions to the next steps, elsewhere as lines for eval',
    ),
  },
  async run(context, { key, audience, file, export: exports }) {
    const { environment, output } = context
    const server = await getServer(context)
    const source = findIdentitySource(environment, file)
    const response = await exchangeFrom(context, source, {
      client: clientFor(context, { server }),
      audience: audienceOf(source, { server, key, audience }),
    })
    const { access_token, expires_in: seconds } = response
    // A second line would become a command of the runner or of the shell.
    const token = readToken(access_token, "the server's response")
    mask(context, token)
    if (!exports) output.result(response, [token])
    else await exportToken(context, { token, server })
    output.note(`The token expires in ${seconds} s.`)
  },
})

interface Expected {
  readonly server: string
  readonly key: string | undefined
  readonly audience: string | undefined
}

/** @throws a usage error if a runner must be asked for an audience that is not known. */
function audienceOf({ isRenewable }: IdentitySource, { server, key, audience }: Expected): string {
  if (audience !== undefined) return audience
  if (key !== undefined) return `${server}/workloads/${key}`
  if (!isRenewable) return ''
  throw usageError('usage', 'GitHub Actions needs --key, the id of the workload key.')
}

const triesMax = 3
/** A longer wait, in seconds, is left to the caller. */
const waitSecondsMax = 30

/** Exchanges an identity token. Repeats what used up no identity token. */
async function exchangeFrom(
  context: Context,
  source: IdentitySource,
  { client, audience }: { client: Client; audience: string },
) {
  const { sleep, signal } = context.environment
  for (let attempt = 1; ; attempt++) {
    const identityToken = await source.read(audience)
    mask(context, identityToken)
    try {
      return await exchangeToken(client, identityToken)
    } catch (error) {
      const waitSeconds = attempt < triesMax ? secondsUntilNextTry(error, source) : undefined
      if (waitSeconds === undefined) throw error
      context.output.note(`${(error as Error).message} Trying again in ${waitSeconds} s.`)
      await sleep(waitSeconds * 1_000, signal)
    }
  }
}

/** A 429 or 503 uses up no identity token. After a lost response, only another identity token can be exchanged. */
function secondsUntilNextTry(error: unknown, { isRenewable }: IdentitySource): number | undefined {
  if (error instanceof ConnectionError) return isRenewable ? 2 : undefined
  if (!(error instanceof ApiProblem) || (error.status !== 429 && error.status !== 503)) {
    return undefined
  }
  const seconds = error.retryAfterSeconds ?? 2
  return seconds <= waitSecondsMax ? seconds : undefined
}

/** Tells the runner of GitHub Actions to hide the text in the log of the job. */
function mask({ environment: { env, stderr } }: Context, secret: string): void {
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(`::add-mask::${secret}\n`)
}

/** Passes the token on to the commands that follow. */
async function exportToken(
  { environment: { env }, output }: Context,
  { token, server }: { token: string; server: string },
): Promise<void> {
  const variables = { HCTL_TOKEN: token, HCTL_URL: server }
  const file = env['GITHUB_ENV']
  if (!file) {
    const lines = Object.entries(variables).map(
      ([name, text]) => `export ${name}=${shellQuoted(text)}`,
    )
    output.result(variables, lines)
    return
  }
  const lines = Object.entries(variables).map(([name, text]) => `${name}=${text}\n`)
  await appendFile(file, lines.join(''))
  const names = Object.keys(variables)
  output.result({ exported: names }, [`The next steps have ${names.join(' and ')}.`])
}

const revoke = command({
  path: 'token revoke',
  summary: 'End the exchanged token in HCTL_TOKEN, and leave its workload key as it is',
  examples: ['hctl token revoke'],
  async run(context) {
    const signIn = await findSignIn(context)
    if (signIn?.source !== 'HCTL_TOKEN') {
      throw usageError('usage', 'HCTL_TOKEN is not set.', 'hctl logout ends a sign-in.')
    }
    const client = clientFor(context, signIn)
    const { key } = await client.GET('/auth/me')
    // The same request would revoke any other key.
    if (key?.source !== 'workload') {
      const hint = 'hctl keys revoke revokes a key.'
      throw usageError('usage', 'HCTL_TOKEN is not a token of a workload key.', hint)
    }
    await revokeToken(client, signIn.token)
    context.output.result({ key_id: key.id, status: 'ended' }, ['The token has ended.'])
  },
})

export const tokenCommands = [exchange, revoke]
