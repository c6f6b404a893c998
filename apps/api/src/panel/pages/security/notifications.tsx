import { noticeCategories, type NoticeCategory } from '@hosting/core/notices'
import type { SubmittedForm } from '../../form.ts'
import { Card } from '../../view/components.tsx'
import { CheckBoxes } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'

const labels: Readonly<Record<NoticeCategory, readonly [label: string, hint: string]>> = {
  webhooks: ['Webhooks', 'An endpoint is failing, has recovered, or was disabled.'],
  api_keys: ['API keys', 'A key was created, or expires soon.'],
  security: [
    'Security',
    'A new device signed in, or your password, passkeys, authenticator or these emails changed.',
  ],
}

type MailSettings = Readonly<Record<NoticeCategory, boolean>>

/** The settings for mail. */
export const NotificationsCard = ({ settings }: { settings: MailSettings }) => (
  <section id="notifications">
    <Card
      title="Mail"
      hint="Notices always appear in the panel. Choose which of them you also get by email."
    >
      <Form action="notifications">
        <CheckBoxes
          name="email"
          label="Email me about"
          chosen={noticeCategories.filter((category) => settings[category])}
        >
          {(isChosen) => (
            <div class="choices cards">
              {noticeCategories.map((category) => (
                <label key={category} class="check">
                  <input
                    type="checkbox"
                    name="email"
                    value={category}
                    checked={isChosen(category)}
                  />
                  <span>{labels[category][0]}</span>
                  <span class="hint">{labels[category][1]}</span>
                </label>
              ))}
            </div>
          )}
        </CheckBoxes>
        <div class="buttons">
          <Submit>Save</Submit>
        </div>
      </Form>
    </Card>
  </section>
)

/** Converts the submitted form to the API's format. */
export function readNotificationFields(form: SubmittedForm): { email: MailSettings } {
  const chosen = new Set(form.all('email'))
  const [webhooks, api_keys, security] = noticeCategories.map((category) => chosen.has(category))
  return { email: { webhooks: webhooks!, api_keys: api_keys!, security: security! } }
}
