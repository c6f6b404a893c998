/** Why the sign-in page is shown. The URL holds the name only, so no outside text is displayed. */
export const signInReasons = {
  link_unknown: {
    title: 'The link is not valid',
    text: 'It may be incomplete. Go back to where you found the link and open the panel again, or sign in here.',
  },
  link_used: {
    title: 'The link was already used',
    text: 'A link works once. Go back to where you found the link and open the panel again, or sign in here.',
  },
  link_expired: {
    title: 'The link has expired',
    text: 'A link is valid for 60 seconds. Go back to where you found the link and open the panel again, or sign in here.',
  },
  link_user_inactive: {
    title: 'The user is not active',
    text: 'The person for whom the link was created may no longer sign in. Ask an administrator of your organization.',
  },
  oidc_timed_out: {
    title: 'Sign-in timed out',
    text: 'Single sign-on was not started in this browser within the last 10 minutes. Start again.',
  },
  oidc_unavailable: {
    title: 'Single sign-on is not available',
    text: 'The identity provider does not respond. Try again later, or sign in with your password.',
  },
  oidc_denied: {
    title: 'Single sign-on was cancelled',
    text: 'The identity provider did not sign you in. Try again, or sign in with your password.',
  },
  oidc_failed: {
    title: 'Single sign-on failed',
    text: 'The identity provider returned an invalid response. Start again.',
  },
  oidc_email_unverified: {
    title: 'Your email address is not verified',
    text: 'The identity provider has not verified your email address. Verify it there, then start again.',
  },
  oidc_unknown: {
    title: 'You are not a user of this panel',
    text: 'Single sign-on succeeded, but there is no user for you here. Ask an administrator of your organization.',
  },
  oidc_inactive: {
    title: 'The user is not active',
    text: 'Single sign-on succeeded, but you may no longer sign in here. Ask an administrator of your organization.',
  },
  oidc_other_person: {
    title: 'A different person signed in',
    text: 'The identity provider signed in a different person from the one who is signed in here. Nothing was confirmed.',
  },
} as const satisfies Readonly<Record<string, { title: string; text: string }>>

/** The name of one of {@link signInReasons}. */
export type SignInReason = keyof typeof signInReasons

/** Converts the text of a URL to the name of a reason. */
export const findSignInReason = (text: string | undefined): SignInReason | undefined =>
  text !== undefined && Object.hasOwn(signInReasons, text) ? (text as SignInReason) : undefined
