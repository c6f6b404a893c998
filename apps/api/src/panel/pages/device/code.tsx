import { readUserCode, deviceCodeLifetimeMs } from '@hosting/core/device-login'
import { Problem, validationFailed } from '@hosting/core/problems'
import { getDeviceLoginRoute } from '../../../api/routes/device-login.ts'
import { page, type SignedInRequest, type Redirect } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, PageHeader } from '../../view/components.tsx'

/** The user code that a person reviews. */
interface ReviewedCode {
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

/** Where people enter the code that their terminal shows. A code in the URL only prefills the field. */
export const deviceCodePage = page({
  path: '/device',
  access: 'session',
  show: ({ query, services: { brand } }) =>
    Promise.resolve({
      title: 'Connect a device',
      body: (
        <>
          <PageHeader title="Connect a device">
            Enter the code that a program such as <code>{brand.command} login</code> shows on your
            device. <a href="/docs/cli#install">Install {brand.command}</a>
          </PageHeader>
          <Card>
            <Form action="review">
              <TextField
                name="user_code"
                label="Code"
                hint="Eight letters, for example WDJB-MJHT. Case, spaces and dashes are ignored."
                value={query['user_code']?.slice(0, 20)}
                variant="code-input"
                autocomplete="off"
                autocapitalize="characters"
                inputmode="text"
                spellcheck={false}
                maxlength={40}
                autofocus
              />
              {query['user_code'] !== undefined && (
                <>
                  <input type="hidden" name="linked_code" value={query['user_code'].slice(0, 20)} />
                  <p>Continue only if your own terminal shows this code now.</p>
                </>
              )}
              <div class="buttons">
                <Submit>Continue</Submit>
              </div>
            </Form>
          </Card>
          <Alert tone="warn" title="Did someone send you this code?">
            Do not continue. We never send codes, and the sender may be trying to access your
            account.
          </Alert>
        </>
      ),
    }),
  actions: {
    async review(pageRequest) {
      const userCode = await findUserCode(pageRequest)
      const isTyped = readUserCode(pageRequest.form.text('linked_code') ?? '') !== userCode
      return toReview({ userCode, isTyped })
    },
  },
})

/** Returns the entered code if a device login with it exists. Malformed codes are not looked up. */
async function findUserCode({ form, call }: SignedInRequest): Promise<string> {
  const text = form.text('user_code')
  if (text === undefined) throw refusalOf('is required. Enter the code that your terminal shows.')
  const userCode = readUserCode(text)
  if (userCode === undefined) {
    throw refusalOf(
      'is not valid. It has eight letters, such as WDJB-MJHT, with no digits and no vowels.',
    )
  }
  try {
    await call(getDeviceLoginRoute, { params: { user_code: userCode } })
    return userCode
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    throw refusalOf(
      'is unknown or has expired. Check it against your terminal, or start again there.',
    )
  }
}

const refusalOf = (message: string): Problem => validationFailed({ pointer: '/user_code', message })
