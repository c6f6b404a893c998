import type { ComponentChildren } from 'preact'
import { overlapSecondsInPanel, overlapSecondsMax } from '@hosting/core/api-keys'
import type { SubmittedForm } from '../form.ts'
import type { Redirect, View } from '../page.ts'
import { PageHeader } from './components.tsx'
import { confirmationView } from './confirmation.tsx'
import { FormCard } from './form.tsx'
import { Radios } from './fields.tsx'

/** What is rotated, and what its page says. */
interface Rotation {
  readonly what: 'token' | 'secret'
  /** The title of the page. */
  readonly title: string
  readonly heading: string
  readonly crumbs: readonly (readonly [name: string, path: string])[]
  readonly button: string
  /** What happens without an overlap period. */
  readonly consequence: string
  /** The path of the key or endpoint. */
  readonly owner: string
  readonly intro: string
  /** What to know about the current token or secret. */
  readonly note?: ComponentChildren
}

/** The page of a rotation. */
export const rotationView = (rotation: Rotation, query: Readonly<Record<string, string>>): View =>
  query['overlap'] === 'none'
    ? confirmWithoutOverlap(rotation)
    : { title: rotation.title, body: <RotationForm {...rotation} /> }

/** Asks before a rotation without an overlap period. */
const confirmWithoutOverlap = ({ what, crumbs, owner, consequence }: Rotation): View =>
  confirmationView('Rotate without an overlap period', {
    question: 'Rotate without an overlap period?',
    crumbs,
    action: 'rotate',
    to: `${owner}/rotate`,
    isFinal: true,
    consequence: [`The current ${what} stops working immediately`, consequence],
    button: 'Rotate now',
    cancel: `${owner}/rotate`,
    fields: (
      <>
        <input type="hidden" name="grace_seconds" value="0" />
        <input type="hidden" name="confirmed" value="true" />
      </>
    ),
  })

/** Rotates with the chosen overlap period. Without one, the page asks first. */
export async function submitRotation(
  form: SubmittedForm,
  owner: string,
  rotate: (body: { grace_seconds: ReturnType<SubmittedForm['number']> }) => Promise<Redirect>,
): Promise<Redirect> {
  const seconds = form.number('grace_seconds')
  if (seconds === 0 && form.text('confirmed') !== 'true') {
    return { to: `${owner}/rotate?overlap=none` }
  }
  return rotate({ grace_seconds: seconds })
}

const RotationForm = ({ what, heading, crumbs, button, owner, intro, note }: Rotation) => (
  <>
    <PageHeader title={heading} crumbs={crumbs}>
      {intro}
    </PageHeader>
    {note}
    <FormCard action="rotate" button={button} cancel={owner}>
      <OverlapPicker what={what} />
    </FormCard>
  </>
)

/** Chooses the overlap period: how long the previous token or secret stays valid after a rotation. */
const OverlapPicker = ({ what }: { what: 'token' | 'secret' }) => (
  <Radios
    name="grace_seconds"
    label="Overlap period"
    hint={`How long the current ${what} stays valid.`}
    value={String(overlapSecondsInPanel)}
    choices={[
      {
        value: '0',
        label: 'None',
        hint: `Revokes the current ${what} and all earlier ones now. Choose this if it may have leaked.`,
      },
      {
        value: String(overlapSecondsInPanel),
        label: hoursText(overlapSecondsInPanel),
        hint: 'Enough time to deploy the new one.',
      },
      {
        value: String(overlapSecondsMax),
        label: hoursText(overlapSecondsMax),
        hint: 'Enough time for several people or systems to switch.',
      },
    ]}
  />
)

const hoursText = (seconds: number): string =>
  (seconds / 3_600).toLocaleString('en', { style: 'unit', unit: 'hour', unitDisplay: 'long' })
