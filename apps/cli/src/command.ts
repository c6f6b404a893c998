import type { Context } from './context.ts'
import type { Option, ValueOf } from './options.ts'

type Options = Readonly<Record<string, Option<unknown>>>
type Arguments = Readonly<Record<string, string>>

/** What a command gets: its options and arguments by name. */
type Inputs<O, A> = { readonly [K in keyof O]: ValueOf<O[K]> } & { readonly [K in keyof A]: string }

/** A command as data: `commands.ts` lists them all. */
export interface Command<O = Options, A = Arguments> {
  /** The words after `hctl`. */
  readonly path: string
  readonly summary: string
  readonly options?: O
  /** Required words, by name, with what they are. */
  readonly arguments?: A
  readonly run: (context: Context, inputs: Inputs<O, A>) => Promise<void>
}

/** Checks a command against its own options, and gives it in the form of the table. */
export const command = <const O extends object = object, const A extends object = object>(
  definition: Command<O, A> & { options?: Options; arguments?: Arguments },
): Command => definition as unknown as Command
