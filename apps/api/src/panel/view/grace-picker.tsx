import { Radios } from './fields.tsx'

/** How long what is replaced by a rotation stays valid. */
export const GracePicker = ({ what }: { what: 'token' | 'secret' }) => (
  <Radios
    name="grace_seconds"
    label={`How long should the present ${what} stay valid?`}
    value="3600"
    choices={[
      {
        value: '0',
        label: 'End it now',
        hint: `If it may have leaked. Every earlier ${what} ends too.`,
      },
      { value: '3600', label: 'For an hour', hint: 'Enough to put the new one in its place.' },
      { value: '86400', label: 'For a day', hint: 'Where several people or systems must change.' },
    ]}
  />
)
