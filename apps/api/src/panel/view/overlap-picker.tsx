import { Radios } from './fields.tsx'

/** Chooses the overlap period: how long the previous token or secret stays valid after a rotation. */
export const OverlapPicker = ({ what }: { what: 'token' | 'secret' }) => (
  <Radios
    name="grace_seconds"
    label="Overlap period"
    hint={`How long the current ${what} stays valid.`}
    value="3600"
    choices={[
      {
        value: '0',
        label: 'None',
        hint: `Revokes the current ${what} and all earlier ones now. Choose this if it may have leaked.`,
      },
      { value: '3600', label: '1 hour', hint: 'Enough time to deploy the new one.' },
      {
        value: '86400',
        label: '24 hours',
        hint: 'Enough time for several people or systems to switch.',
      },
    ]}
  />
)
