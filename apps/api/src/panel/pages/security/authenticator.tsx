import { Problem, validationFailed } from '@hosting/core/problems'
import { enrolTotpRoute, verifyTotpRoute } from '../../../api/routes/totp.ts'
import { hasPassword } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit, RefusedAction } from '../../view/form.tsx'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { WithoutPassword } from './password.tsx'
import { encodeQR } from 'qr'

/** A QR code. Show its content as text next to it, too. */
function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 2 })
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  )
}

/** How long the QR code can be shown, in seconds. */
const enrolmentSeconds = 600

export const authenticatorPage = page({
  path: '/security/authenticator',
  access: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  keepsFlashSecret: true,
  async show({ flashSecret, caller, services }) {
    const usesCodes = await hasPassword(services.database.prisma, caller.user.id)
    return {
      title: 'Set up two-factor authentication',
      body: (
        <>
          <PageHeader title="Set up two-factor authentication" crumbs={[['Security', '/security']]}>
            An authenticator app shows a new code every 30 seconds. You then sign in with your
            password and a code.
          </PageHeader>
          {usesCodes ? <Enrolment uri={flashSecret} /> : <WithoutPassword />}
        </>
      ),
    }
  },
  actions: {
    async enrol({ call }) {
      const { otpauth_uri } = await call(enrolTotpRoute)
      return {
        to: '/security/authenticator',
        flashSecret: { text: otpauth_uri, seconds: enrolmentSeconds },
      }
    },
    async activate({ call, form }) {
      try {
        const { recovery_codes } = await call(verifyTotpRoute, {
          body: { totp_code: form.text('totp_code') },
        })
        return {
          to: '/security/recovery-codes',
          flashSecret: { text: recovery_codes.join('\n'), seconds: 60 },
        }
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'invalid_credentials') throw error
        throw validationFailed({
          pointer: '/totp_code',
          message:
            'is not the current code of your authenticator app. Check that the clock of your phone is correct.',
        })
      }
    },
  },
})

const Enrolment = ({ uri }: { uri: string | undefined }) =>
  uri === undefined ? <Begin /> : <Activate uri={uri} />

const Begin = () => (
  <Card>
    <div class="stack">
      <RefusedAction />
      <p>
        You need an authenticator app such as Aegis, 1Password, Google Authenticator or Apple
        Passwords.
      </p>
      <Form action="enrol" plain>
        <div class="buttons">
          <Submit>Show QR code</Submit>
          <LinkButton to="/security">Cancel</LinkButton>
        </div>
      </Form>
    </div>
  </Card>
)

function Activate({ uri }: { uri: string }) {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  return (
    <div class="grid">
      <Card title="1. Scan the QR code">
        <div class="stack">
          <QrCode text={uri} label="QR code for your authenticator app" />
          <p class="small quiet">Or enter this setup key in the app:</p>
          <p>
            <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          </p>
        </div>
      </Card>
      <Card title="2. Enter the code">
        <Form action="activate">
          <TextField
            name="totp_code"
            label="Code"
            hint="The six digits that the app shows. Two-factor authentication is off until you enter a code."
            variant="mono"
            autocomplete="one-time-code"
            inputmode="numeric"
            maxlength={16}
            secret
          />
          <div class="buttons">
            <Submit>Turn on</Submit>
            <LinkButton to="/security">Cancel</LinkButton>
          </div>
        </Form>
      </Card>
    </div>
  )
}
