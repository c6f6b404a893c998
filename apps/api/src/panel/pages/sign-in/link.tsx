import { type SignInRecord, readSignInLink, redeemSignInLink } from '../../../api/for-pages.ts'
import type { SessionCaller } from '../../../api/access/caller.ts'
import { openPage } from '../../page.ts'
import { Alert, LinkButton } from '../../view/components.tsx'
import { Form, Submit, RefusedAction } from '../../view/form.tsx'
import { signInView } from './sign-in.tsx'

/**
 * The page of a sign-in link. Showing it does not use the link: previews and scanners of messages open links, too. A
 * script submits its form, unless that would replace another person's session.
 */
export const signInLinkPage = openPage({
  path: '/sign-in/link/:token',
  async show(pageRequest) {
    const { services, params, caller } = pageRequest
    const found = await readSignInLink(services, params.token)
    if (typeof found === 'string') return signInView(pageRequest, found)
    return {
      title: 'Sign in',
      layout: 'bare',
      body: <UseLink person={found.record} caller={caller} />,
    }
  },
  actions: {
    async use({ services, params, signInContext }) {
      const used = await redeemSignInLink(services, signInContext, params.token)
      if (typeof used === 'string') {
        return { to: `/sign-in?${new URLSearchParams({ reason: used })}` }
      }
      return { to: used.location, headers: used.response.headers }
    },
  },
})

function UseLink({
  person: { user, tenant },
  caller,
}: {
  person: SignInRecord
  caller: SessionCaller | undefined
}) {
  const isOther =
    caller !== undefined && (caller.user.id !== user.id || caller.session.impersonator !== null)
  return (
    <section class="card">
      <div class="card-body stack">
        <h1>Sign in</h1>
        <RefusedAction />
        {isOther && (
          <Alert tone="warn" title={`You are signed in as ${caller.user.name}`}>
            If you continue, this session ends in this browser.
          </Alert>
        )}
        <p>
          Continue as <strong>{user.name}</strong> of {tenant.name}.
        </p>
        <Form action="use" autoSubmit={!isOther} plain>
          <Submit variant="primary wide">Continue as {user.name}</Submit>
        </Form>
        {isOther && (
          <LinkButton to="/" variant="plain wide">
            Stay signed in as {caller.user.name}
          </LinkButton>
        )}
      </div>
    </section>
  )
}
