import { deviceCodeLifetimeMs } from '@hosting/core/device-login'
import type { Redirect } from '../../page.ts'

/** The user code that a person reviews. */
export interface ReviewedCode {
  readonly userCode: string
  /** Whether the person typed it. Otherwise, a link contained it. */
  readonly isTyped: boolean
}

/** Leads to the page on which the device login of the code is reviewed. */
export const toReview = ({ userCode, isTyped }: ReviewedCode): Redirect => ({
  to: '/device/review',
  flashSecret: {
    text: `${userCode}${isTyped ? ' typed' : ''}`,
    seconds: deviceCodeLifetimeMs / 1_000,
  },
})

/** Reads the flash secret of {@link toReview}. */
export function readReviewedCode(text: string | undefined): ReviewedCode | undefined {
  const [userCode = '', typed] = text?.split(' ') ?? []
  return userCode === '' ? undefined : { userCode, isTyped: typed === 'typed' }
}
