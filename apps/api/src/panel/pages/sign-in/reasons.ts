/** Why the sign-in page is shown. The URL holds the name only, so no outside text is displayed. */
export const signInReasons = {
  link_unknown: {
    title: 'The link is not valid',
    text: 'It may be incomplete. Open the panel again from where you found the link, or sign in here.',
  },
  link_used: {
    title: 'The link was already used',
    text: 'A link works once. Open the panel again from where you found the link, or sign in here.',
  },
  link_expired: {
    title: 'The link has expired',
    text: 'A link is valid for 60 seconds. Open the panel again from where you found the link, or sign in here.',
  },
  link_user_inactive: {
    title: 'The user is not active',
    text: 'The person whom the link is for may no longer sign in. Ask an administrator of your organization.',
  },
} as const satisfies Readonly<Record<string, { title: string; text: string }>>

/** The name of one of {@link signInReasons}. */
export type SignInReason = keyof typeof signInReasons

/** Converts the text of a URL to the name of a reason. */
export const findSignInReason = (text: string | undefined): SignInReason | undefined =>
  text !== undefined && Object.hasOwn(signInReasons, text) ? (text as SignInReason) : undefined
