import { audit } from './commands/audit.ts'
import { authStatus } from './commands/auth-status.ts'
import { completion } from './commands/completion.ts'
import { deliveriesList } from './commands/deliveries-list.ts'
import { deliveriesRecover } from './commands/deliveries-recover.ts'
import { deliveriesRedeliver } from './commands/deliveries-redeliver.ts'
import { deliveriesShow } from './commands/deliveries-show.ts'
import { eventsTypes } from './commands/events-types.ts'
import { keysCreate } from './commands/keys-create.ts'
import { keysList } from './commands/keys-list.ts'
import { keysRevoke } from './commands/keys-revoke.ts'
import { keysRotate } from './commands/keys-rotate.ts'
import { keysUsage } from './commands/keys-usage.ts'
import { listen } from './commands/listen.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { profilesList } from './commands/profiles-list.ts'
import { profilesUse } from './commands/profiles-use.ts'
import { webhooksCreate } from './commands/webhooks-create.ts'
import { webhooksDelete } from './commands/webhooks-delete.ts'
import { webhooksList } from './commands/webhooks-list.ts'
import { webhooksPing } from './commands/webhooks-ping.ts'
import { webhooksRotateSecret } from './commands/webhooks-rotate-secret.ts'
import { webhooksTest } from './commands/webhooks-test.ts'
import { webhooksUpdate } from './commands/webhooks-update.ts'
import { whoami } from './commands/whoami.ts'
import type { Command } from './command.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  login,
  logout,
  whoami,
  authStatus,
  profilesList,
  profilesUse,
  keysList,
  keysCreate,
  keysRotate,
  keysRevoke,
  keysUsage,
  webhooksList,
  webhooksCreate,
  webhooksUpdate,
  webhooksDelete,
  webhooksPing,
  webhooksTest,
  webhooksRotateSecret,
  deliveriesList,
  deliveriesShow,
  deliveriesRedeliver,
  deliveriesRecover,
  eventsTypes,
  audit,
  listen,
  completion,
]

/** What the first words of commands with two stand for. */
export const groups = {
  auth: 'The sign-in in use',
  profiles: 'Sign-ins side by side',
  keys: 'API keys',
  webhooks: 'Webhook endpoints',
  deliveries: 'Deliveries of events to endpoints',
  events: 'Events',
} as const
