import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { root } from '../../tools/run.ts'

/** The fields of a service of docker-compose.yml that tests read. */
export interface ComposeService {
  readonly image?: string
  readonly build?: { readonly context: string; readonly target: string }
  readonly user?: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly ports?: readonly (string | { readonly host_ip: string; readonly published: string })[]
  readonly networks?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly read_only?: boolean
  readonly init?: boolean
  readonly tmpfs?: readonly string[]
  readonly volumes?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly restart?: string
  readonly container_name?: string
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** docker-compose.yml with merge keys resolved and variables left unexpanded. */
export const readCompose = (): Compose =>
  parse(readFileSync(`${root}docker-compose.yml`, 'utf8'), { merge: true }) as Compose

/** A value of docker-compose.yml with its variables expanded: `${NAME:-fallback}`, `${NAME:?error message}`. */
export const interpolate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(
    /\$\{(\w+):([-?])([^}]*)\}/g,
    (_all, name: string, kind: string, rest: string) => {
      if (values[name]) return values[name]
      if (kind === '?') throw new Error(`${name}: ${rest}`)
      return rest
    },
  )
