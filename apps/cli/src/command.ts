import type { Context } from './context.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Argument, Option, ValueOf } from './options.ts'

type Options = Readonly<Record<string, Option<unknown>>>
type Arguments = Readonly<Record<string, Argument>>

/** What a command receives: its options and arguments by name. */
type Inputs<O, A> = { readonly [K in keyof O]: ValueOf<O[K]> } & {
  readonly [K in keyof A]: A[K] extends { rest: true } ? readonly string[] : string
}

/** A command as data; `commands.ts` lists them all. */
export interface Command<O = Options, A = Arguments> {
  /** The words after `hctl`. */
  readonly path: string
  readonly summary: string
  /** Command lines, at least one, that the help shows. */
  readonly examples?: readonly string[]
  /** Excluded from the help and from completion. */
  readonly hidden?: true
  readonly options?: O
  /** Positional arguments, by name. */
  readonly arguments?: A
  /** Returns the exit code; nothing for 0. */
  readonly run: (context: Context, inputs: Inputs<O, A>) => Promise<ExitCode | void>
}

/** Type-checks a command against its own options, then widens it to the type of the table. */
export const command = <const O extends object = object, const A extends object = object>(
  definition: Command<O, A> & { options?: Options; arguments?: Arguments },
): Command => definition as unknown as Command
