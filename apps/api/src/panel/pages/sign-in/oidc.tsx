import { notFound } from '@hosting/core/problems'
import type { SessionCaller } from '../../../api/access/caller.ts'
import {
  callbackPath,
  describeProviderError,
  type IdentityProvider,
  type ProviderFlow,
  admitCallback,
  confirmByIdentity,
  signInByIdentity,
} from '../../../api/for-pages.ts'
import type { Services } from '../../../api/services.ts'
import { openPage, type PageRequest, type Redirect } from '../../page.ts'
import { LinkButton } from '../../view/components.tsx'
import type { SignInReason } from './reasons.ts'

/** How long a sign-in at the provider may take, in seconds. */
const flowSeconds = 600

/** What the browser keeps, encrypted, until the callback. */
interface KeptFlow {
  readonly flow: ProviderFlow
  readonly next: string
}

/** Redirects to the provider: for a sign-in or, with `confirm`, for the step-up of the signed-in person. */
export const oidcPage = openPage({
  path: '/sign-in/oidc',
  async show({ services, query, caller, next }) {
    const provider = getProvider(services)
    const isStepUp = query['confirm'] !== undefined && caller !== undefined
    try {
      const { url, flow } = await provider.start(isStepUp)
      const text = JSON.stringify({ flow, next } satisfies KeptFlow)
      return { to: url, flashSecret: { text, seconds: flowSeconds, path: callbackPath } }
    } catch (error) {
      return back({ isStepUp, next, reason: logFailure(services, error) })
    }
  },
})

/** Where the provider returns the browser, with a code. */
export const oidcCallbackPage = openPage({
  path: callbackPath,
  async show(pageRequest) {
    const { services, flashSecret, caller } = pageRequest
    const provider = getProvider(services)
    if (flashSecret === undefined) return { to: '/sign-in?reason=oidc_timed_out' }
    const { flow, next } = JSON.parse(flashSecret) as KeptFlow
    const { isStepUp } = flow
    const { signInContext, rawQuery } = pageRequest
    const callback = { query: rawQuery, flow, flowMs: flowSeconds * 1_000 }
    if (!(await admitCallback(services, signInContext, callback))) {
      return back({ isStepUp, next, reason: 'oidc_failed' })
    }
    const identity = await provider
      .finish(rawQuery, flow)
      .catch((error: unknown) => logFailure(services, error))
    if (typeof identity === 'string') return back({ isStepUp, next, reason: identity })
    const result =
      isStepUp && caller
        ? await confirmByIdentity(services, { ...signInContext, caller }, identity)
        : await signInByIdentity(services, signInContext, identity)
    if (typeof result === 'string') return back({ isStepUp, next, reason: result })
    return { to: next, headers: result.headers }
  },
})

/** Signs the person out of the provider, after they have signed out here. */
export const oidcSignOutPage = openPage({
  path: '/sign-in/oidc/sign-out',
  async show({ services }) {
    const provider = getProvider(services)
    try {
      return { to: (await provider.findSignOutUrl()) ?? '/sign-in' }
    } catch (error) {
      return { to: `/sign-in?reason=${logFailure(services, error)}` }
    }
  },
})

/** The link to the provider on the pages of sign-in and confirmation; nothing if none is configured. */
export const ProviderLink = ({
  services,
  next,
  caller,
}: Pick<PageRequest, 'services' | 'next'> & { caller?: SessionCaller }) => {
  if (!services.identityProvider) return null
  const query = new URLSearchParams({ ...(caller && { confirm: '1' }), next })
  return (
    <LinkButton to={`/sign-in/oidc?${query}`} variant="wide">
      {caller ? 'Confirm with single sign-on' : 'Sign in with single sign-on'}
    </LinkButton>
  )
}

function getProvider({ identityProvider }: Services): IdentityProvider {
  if (!identityProvider) throw notFound()
  return identityProvider
}

/** Logs only the error's code, and why TLS failed: messages and responses may contain codes and tokens. */
function logFailure({ log }: Services, error: unknown): SignInReason {
  const { code, reason, tls } = describeProviderError(error)
  log.warn({ code, tls }, 'a sign-in by the identity provider failed')
  return reason
}

/** Returns to the page where the person started. */
const back = ({
  isStepUp,
  next,
  reason,
}: {
  isStepUp: boolean
  next: string
  reason: SignInReason
}): Redirect => ({
  to: `${isStepUp ? '/confirm' : '/sign-in'}?${new URLSearchParams({ reason, next })}`,
})
