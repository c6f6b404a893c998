import { api } from './api.ts'
import { keyCommands } from './api-keys/commands.ts'
import { audit } from './audit.ts'
import { login } from './auth/login.ts'
import { logout } from './auth/logout.ts'
import { authStatus, whoami } from './auth/status.ts'
import type { Command } from './command.ts'
import { completionCommands } from './completion/commands.ts'
import { deliveryCommands } from './deliveries/commands.ts'
import { eventTypes } from './events/commands.ts'
import { eventLogCommands } from './events/log.ts'
import { hostingFileCommands } from './hosting-file/commands.ts'
import { runListen } from './listen/listen.ts'
import { trigger } from './listen/trigger.ts'
import { mcp } from './mcp/command.ts'
import { open } from './open.ts'
import { policyCommands } from './policy/commands.ts'
import { profileCommands } from './profiles/commands.ts'
import { tokenCommands } from './tokens/commands.ts'
import { endpointCommands } from './webhooks/commands.ts'
import { stats } from './webhooks/stats.ts'

/** What the first word of a two-word command stands for. */
export const groups = {
  auth: 'The sign-in in use',
  profiles: 'Sign-ins on this machine',
  keys: 'API keys',
  token: 'Short-lived tokens of workload keys',
  policy: 'The key policy of the organization',
  webhooks: 'Webhooks',
  deliveries: 'Deliveries of events to webhooks',
  events: 'Events',
} as const

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  login,
  logout,
  whoami,
  authStatus,
  ...profileCommands,
  ...keyCommands,
  ...tokenCommands,
  ...policyCommands,
  ...endpointCommands,
  ...deliveryCommands,
  ...eventLogCommands,
  eventTypes,
  stats,
  audit,
  ...hostingFileCommands,
  runListen,
  trigger,
  mcp,
  open,
  api,
  ...completionCommands(() => ({ commands, groups })),
]
