import type { ComponentChildren } from 'preact'
import type { CheckedCondition, WorkloadConditions } from '@hosting/core/workloads'
import { Table } from '@hosting/html'
import type { TokenTrial } from '../../../../api/for-pages.ts'
import { Alert, Badge } from '../../../view/components.tsx'

interface Check {
  readonly name: string
  readonly isMet: boolean
  readonly text: ComponentChildren
}

/** A trial as the page passes it on in a cookie: short, and without what the key says. */
type FlashTrial = Omit<TokenTrial, 'conditions'> & {
  readonly conditions: readonly Pick<CheckedCondition, 'actual' | 'isMet'>[]
}

/** The longest text of a token that the page shows, in characters. A cookie has at most 4,096 bytes. */
const shownLengthMax = 60

/** Converts a trial to the text that the next page receives. */
export function toFlashText({ conditions, subject, ...trial }: TokenTrial): string {
  const flash: FlashTrial = {
    ...trial,
    subject: subject && shorten(subject),
    conditions: conditions.map(({ actual, isMet }) => ({
      isMet,
      actual: actual && shorten(actual),
    })),
  }
  return JSON.stringify(flash)
}

const shorten = (text: string): string =>
  text.length > shownLengthMax ? `${text.slice(0, shownLengthMax).toWellFormed()}…` : text

/** Restores a trial from the text, with the conditions of the key. */
export function fromFlashText(text: string, all: WorkloadConditions): TokenTrial {
  const { conditions, ...trial } = JSON.parse(text) as FlashTrial
  return {
    ...trial,
    conditions: Object.entries(all).map(([claim, accepted], index) => ({
      claim,
      accepted: [accepted].flat(),
      actual: conditions[index]?.actual,
      isMet: conditions[index]?.isMet ?? false,
    })),
  }
}

/** The result of trying an identity token: whether it would be accepted, and each check. */
export const Trial = ({ trial }: { trial: TokenTrial }) => {
  const checks = checksOf(trial)
  const failed = checks.filter(({ isMet }) => !isMet)
  return (
    <>
      <Alert
        live
        tone={trial.isAccepted ? 'ok' : 'bad'}
        title={
          trial.isAccepted ? 'This token would be accepted' : 'This token would not be accepted'
        }
      >
        {trial.isAccepted ? (
          <>
            Subject: <bdi>{trial.subject}</bdi>
          </>
        ) : (
          `Failed: ${failed.map(({ name }) => name).join(', ')}.`
        )}
      </Alert>
      <Table
        caption="Checks of the identity token"
        rows={checks}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Check', show: ({ name }) => name },
          {
            name: 'Result',
            show: ({ isMet }) =>
              isMet ? <Badge tone="ok">Passed</Badge> : <Badge tone="bad">Failed</Badge>,
          },
          { name: 'Requirement', show: ({ text }) => text },
        ]}
      />
    </>
  )
}

const checksOf = ({
  key,
  audience,
  issuer,
  signature,
  subject,
  timeFault,
  unused,
  conditions,
}: TokenTrial): readonly Check[] => [
  ...(key ? [] : [{ name: 'Key', isMet: false, text: 'The key is not valid now.' }]),
  { name: 'Audience', isMet: audience, text: 'aud is exactly the audience above.' },
  { name: 'Issuer', isMet: issuer, text: 'iss is exactly the issuer above.' },
  {
    name: 'Signature',
    isMet: signature === true,
    text:
      signature === 'unread'
        ? 'The keys of the issuer cannot be read now.'
        : 'It is signed with a key of the issuer.',
  },
  {
    name: 'Subject',
    isMet: subject !== undefined,
    text: 'sub is a string.',
  },
  {
    name: 'Times',
    isMet: timeFault !== 'time',
    text: 'iat and exp are numbers, and it is valid now.',
  },
  {
    name: 'Lifetime',
    isMet: timeFault !== 'lifetime',
    text: 'It is valid for 25 hours at most.',
  },
  {
    name: 'First use',
    isMet: unused,
    text: 'It was not exchanged before, or the key accepts it again.',
  },
  ...conditions.map(({ claim, accepted, actual, isMet }) => ({
    name: `Condition ${claim}`,
    isMet,
    text: (
      <>
        Expected{' '}
        {accepted.map((value, index) => (
          <>
            {index > 0 && ' or '}
            <code>{value}</code>
          </>
        ))}
        , the token has {actual === undefined ? 'none' : <code>{actual}</code>}.
      </>
    ),
  })),
]
