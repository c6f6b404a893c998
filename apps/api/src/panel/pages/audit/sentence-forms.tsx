import type { Members } from '@hosting/core/audit'
import type { ComponentChildren, VNode } from 'preact'
import { Changes } from './changes.tsx'
import { Value } from './value.tsx'

/** An entry as its sentence sees it. */
export interface Told {
  readonly actor: VNode
  readonly target: VNode
  readonly details: Members
  readonly isRefused: boolean
}

/** How the panel names an action, and what it says of an entry with it. */
export interface Sentence {
  readonly name: string
  readonly say: (entry: Told) => ComponentChildren
}

/** An action of the actor on the target: `Ana` `revoked the key` `Deploy`. */
export const simple = (name: string, verb: string, end = ''): Sentence => ({
  name,
  say: ({ actor, target }) => (
    <>
      {actor} {verb} {target}
      {end}
    </>
  ),
})

/** An action of the actor alone. */
export const alone = (name: string, predicate: string): Sentence => ({
  name,
  say: ({ actor }) => (
    <>
      {actor} {predicate}
    </>
  ),
})

/** A change of the members of the target. */
export const update = (name: string, kind?: string): Sentence => ({
  name,
  say: ({ actor, target, details }) => (
    <>
      {actor}{' '}
      <Changes
        details={details}
        of={
          kind === undefined ? (
            target
          ) : (
            <>
              {kind} {target}
            </>
          )
        }
      />
    </>
  ),
})

/** A change of the members of what has no name in the sentence. */
export const updateOf = (name: string, what: string): Sentence => ({
  name,
  say: ({ actor, details }) => (
    <>
      {actor} <Changes details={details} of={what} />
    </>
  ),
})

const methods: Readonly<Record<string, string>> = {
  password: 'a password',
  passkey: 'a passkey',
  oidc: 'the company’s identity provider',
  link: 'a link of the platform',
}

/** The end of a sentence about a way of signing in: ` with a passkey`. */
export const withMethod = ({ method }: Members): string => {
  const name = methods[String(method)]
  return name === undefined ? '' : ` with ${name}`
}

const spanOf = (seconds: unknown): string => {
  if (typeof seconds !== 'number' || seconds === 0) return ''
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** A new secret, and how long the current one stays valid. */
export const rotation = (name: string, verb: string, secret: string): Sentence => ({
  name,
  say: ({ actor, target, details: { grace_seconds: seconds } }) => (
    <>
      {actor} {verb} {target}.{' '}
      {spanOf(seconds)
        ? `The previous ${secret} stays valid for ${spanOf(seconds)}.`
        : `The previous ${secret} ended at once.`}
    </>
  ),
})

/** A value between two texts, if the entry has it. */
export const ifKnown = (before: string, value: unknown, after = '') =>
  value === undefined || value === null ? null : (
    <>
      {before}
      <Value value={value} />
      {after}
    </>
  )

/** A number of things: `3 waiting deliveries`. */
export function countOf(count: number, noun: string, one: string, many: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? one : many}`
}
