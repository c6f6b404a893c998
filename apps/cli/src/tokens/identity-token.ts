import { readFile } from 'node:fs/promises'
import { readToken } from '../auth/token.ts'
import type { Environment } from '../environment.ts'
import { CliError, usageError } from '../exit-codes.ts'
import { readStandardInput } from '../standard-input.ts'

/** Where an identity token comes from. */
export interface IdentitySource {
  /** Whether each call returns another token, so that a lost exchange can be repeated. */
  readonly isRenewable: boolean
  read(audience: string): Promise<string>
}

/** The variable that a job in GitLab, or any other program, passes its identity token in. */
export const tokenVariable = 'HCTL_ID_TOKEN'

/**
 * Finds the identity token: in a file, in a variable, or from the runner of GitHub Actions.
 *
 * @param file - a path, or `-` for standard input.
 * @throws a usage error if there is none.
 */
export function findIdentitySource(
  environment: Environment,
  file: string | undefined,
): IdentitySource {
  const { env } = environment
  if (file !== undefined) return { isRenewable: false, read: () => readFrom(environment, file) }
  const token = env[tokenVariable]
  if (token) {
    const read = (): Promise<string> => Promise.resolve(readToken(token, tokenVariable))
    return { isRenewable: false, read }
  }
  const [url, secret] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'], env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']]
  if (url && secret) {
    const request = { url, secret }
    return { isRenewable: true, read: (audience) => askRunner(environment, request, audience) }
  }
  throw usageError('no_identity_token', 'There is no identity token.', hintFor(env))
}

function hintFor(env: Environment['env']): string {
  if (env['GITHUB_ACTIONS']) return 'The job needs `permissions: { id-token: write }`.'
  if (env['GITLAB_CI']) {
    return `The job needs id_tokens with ${tokenVariable}, whose aud is the audience of the key.`
  }
  return `Set ${tokenVariable}, or name a file with --file.`
}

async function readFrom(environment: Environment, file: string): Promise<string> {
  if (file === '-') return readToken(await readStandardInput(environment), 'standard input')
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError('usage', `The file ${file} cannot be read: ${String(error)}`)
  })
  return readToken(text, file)
}

/**
 * Requests a token from the runner of GitHub Actions
 * (https://docs.github.com/actions/reference/openid-connect-reference).
 */
async function askRunner(
  { fetch, signal }: Environment,
  { url, secret }: { url: string; secret: string },
  audience: string,
): Promise<string> {
  if (!URL.canParse(url)) throw runnerError('gave a URL that is not valid')
  const target = new URL(url)
  target.searchParams.set('audience', audience)
  const response = await fetch(target, {
    headers: {
      authorization: `Bearer ${readToken(secret, 'ACTIONS_ID_TOKEN_REQUEST_TOKEN')}`,
      accept: 'application/json',
    },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw runnerError(`could not be reached (${(error as Error).name})`)
  })
  const document = (await response.json().catch(() => undefined)) as { value?: unknown } | undefined
  if (response.ok && typeof document?.value === 'string') {
    return readToken(document.value, "the runner's response")
  }
  throw runnerError(`responded with HTTP ${response.status}, without a token`)
}

const runnerError = (what: string): CliError =>
  new CliError('no_identity_token', `The runner of GitHub Actions ${what}.`)
