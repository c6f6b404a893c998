import type { SystemUser } from '../../../../tools/local-stack/system-user.ts'

/** A service of deploy/ha/docker-compose.yml, as a process of this machine. */
export interface ServiceState {
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly healthcheck: readonly string[]
}

/** What docker.ts needs to know. */
export interface ComposeState {
  /** For logs and process ids. */
  readonly folder: string
  readonly user: SystemUser | undefined
  readonly services: Readonly<Record<string, ServiceState>>
}
