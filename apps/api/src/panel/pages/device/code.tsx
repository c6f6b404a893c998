import { Problem, readUserCode, validationFailed } from '@hosting/core'
import { getDeviceRequest } from '../../endpoints.ts'
import { page, type SignedInVisit } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, Head } from '../../view/parts.tsx'

/** As long as a request can live, in seconds. */
const reviewSeconds = 600

/** Where people enter the code that their terminal shows. A code in the address only fills the field. */
export const deviceCodePage = page({
  path: '/device',
  access: 'session',
  show: ({ query }) =>
    Promise.resolve({
      title: 'Connect a device',
      body: (
        <>
          <Head title="Connect a device">
            A program on another screen, such as <code>hctl login</code>, wants to work for you. It
            shows a code.
          </Head>
          <Card>
            <Form action="review">
              <TextField
                name="user_code"
                label="Code"
                hint="Eight letters, as your terminal shows them. It does not matter how you write them."
                value={query['user_code']?.slice(0, 20)}
                look="code-input"
                autocomplete="off"
                autocapitalize="characters"
                inputmode="text"
                spellcheck={false}
                maxlength={40}
                autofocus
              />
              {query['user_code'] !== undefined && (
                <p>Go on only if your own terminal shows this code now.</p>
              )}
              <div class="buttons">
                <Submit>Continue</Submit>
              </div>
            </Form>
          </Card>
          <Alert tone="warn" title="Did somebody send you this code?">
            Then do not go on. We never send codes, and whoever sent it wants to work as you.
          </Alert>
        </>
      ),
    }),
  actions: {
    async review(visit) {
      const userCode = await findUserCode(visit)
      return { to: '/device/review', handOver: { text: userCode, seconds: reviewSeconds } }
    },
  },
})

/** The code that was typed, if there is a request of it. What cannot be a code is not looked up. */
async function findUserCode({ form, call }: SignedInVisit): Promise<string> {
  const text = form.text('user_code')
  if (text === undefined) throw fault('is missing. Enter the code that your terminal shows.')
  const userCode = readUserCode(text)
  if (userCode === undefined) {
    throw fault('is not valid. It has eight letters, such as WDJB-MJHT: no digits, and no vowels.')
  }
  try {
    await call(getDeviceRequest, { params: { user_code: userCode } })
    return userCode
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    throw fault('is unknown or has expired. Compare it with your terminal, or start there again.')
  }
}

const fault = (message: string): Problem => validationFailed({ pointer: '/user_code', message })
