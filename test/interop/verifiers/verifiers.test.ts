import { beforeAll, expect } from '@jest/globals'
import { useStack } from '../../support/stack.ts'
import { writeTemporary } from '../../support/temporary-folder.ts'
import { runProgram } from '../support/toolchain.ts'
import { recordDeliveries } from './deliveries.ts'
import { languages } from './languages.ts'
import { stripeVerifiers, verifiers, type Verifier } from './verifiers.ts'

const stack = useStack()
beforeAll(() => stack.startWorker())

/** What a verifier says of each delivery: null if it accepts it, else its error. */
type Answers = readonly (string | null)[]

for (const [name, { needing, build }] of Object.entries(languages)) {
  const own = verifiers.filter(({ language }) => language === name)
  needing.concurrent(`each function of a library in ${name} answers as documented`, async () => {
    // Builds take longer than a signature is valid.
    const command = await build(own)
    const { genuine, forged, early } = await recordDeliveries(stack)
    const file = writeTemporary('deliveries.json', JSON.stringify([...genuine, ...forged, early]))
    const answers = JSON.parse(await runProgram([...command, file])) as readonly Answers[]

    const refused: unknown = expect.any(String)
    const answersOf = (verifier: Verifier) => {
      const { avoid } = verifier
      if (avoid) {
        const error: unknown = expect.stringContaining(avoid.error)
        return [...genuine.map(() => error), ...forged.map(() => refused), refused]
      }
      const acceptsEarly = stripeVerifiers.includes(verifier)
      return [
        ...genuine.map(() => null),
        ...forged.map(() => refused),
        acceptsEarly ? null : refused,
      ]
    }
    const rowOf = ({ library, call }: Verifier, row: unknown) => ({ library, call, answers: row })
    expect(own.map((verifier, index) => rowOf(verifier, answers[index]))).toEqual(
      own.map((verifier) => rowOf(verifier, answersOf(verifier))),
    )
  })
}
