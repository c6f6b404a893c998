/** One environment variable: its name, its meaning, and its parser. */
export interface Setting<T> {
  readonly variable: string
  readonly summary: string
  readonly parse: (text: string) => T
  /** The value if the variable is unset. */
  readonly fallback?: string
  /** What unset means, for the documentation, if there is no fallback. */
  readonly unset?: string
  /** The variable that must be set as well if this one is. */
  readonly needs?: string
  /** The only process that reads it. Default: the API and the worker do. Deployments give it to no other process. */
  readonly readBy?: SettingReader
  /** Whether it names a host that the processes connect to, which network policies must allow. */
  readonly namesHost?: true
}

/** A process that reads settings: the API, the worker, or `npm run migrate`. */
export type SettingReader = 'api' | 'worker' | 'migrate'

/** A setting without which no process starts. */
export interface RequiredSetting<T> extends Setting<T> {
  readonly required: true
}

/** Defines a setting that must be set. */
export const required = <T>(setting: Setting<T>): RequiredSetting<T> => ({
  ...setting,
  required: true,
})
/** Defines a setting with a default. */
export const defaulting = <T>(setting: Setting<T> & { fallback: string }) => setting
/** Defines a setting that may be unset. */
export const optional = <T>(setting: Setting<T> & { unset: string }) => setting
