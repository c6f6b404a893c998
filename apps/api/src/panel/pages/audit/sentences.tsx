import type { AuditAction } from '@hosting/core/audit'
import type { ComponentChildren } from 'preact'
import {
  alone,
  countOf,
  ifKnown,
  rotation,
  simple,
  update,
  updateOf,
  withMethod,
  type Sentence,
  type Told,
} from './sentence-forms.tsx'

const keys = {
  'api_key.create': {
    name: 'Key created',
    say: ({ actor, target, details: { device_request_id: device, scopes } }) => (
      <>
        {actor} created the key {target}
        {device === undefined ? '' : ' by device login'}
        {ifKnown(' with ', scopes)}
      </>
    ),
  },
  'api_key.update': update('Key changed'),
  'api_key.rotate': rotation('Key rotated', 'rotated the key', 'token'),
  'api_key.revoke': {
    name: 'Key revoked',
    say: ({ actor, target, details: { by_token: byToken, revoked_with: parent } }) => (
      <>
        {byToken === true ? 'A holder of its token' : actor} revoked the key {target}
        {ifKnown(' together with ', parent)}
      </>
    ),
  },
  'api_key.set_back': {
    name: 'Key set back',
    say: ({ target }) => (
      <>The last changes of the key {target} before a failure of the database were lost</>
    ),
  },
  'api_key.revoke_secret': {
    name: 'Tokens of a key revoked',
    say: ({ actor, target, details: { revoked_with: parent } }) => (
      <>
        {actor} revoked tokens of {target}
        {ifKnown(' together with ', parent)}
      </>
    ),
  },
  'api_key.end_token': {
    name: 'Tokens of a key ended',
    say: ({ actor, target, details: { previous_secrets: count } }) =>
      count === undefined ? (
        <>A holder of a token of {target} ended the token</>
      ) : (
        <>
          {actor} ended {countOf(count as number, 'previous token', '', 's')} of {target}
        </>
      ),
  },
  'api_key.exchange': {
    name: 'Identity token exchanged',
    say: ({ target, details: { issuer, subject }, isRefused }) => (
      <>
        {isRefused ? 'An identity token was refused for ' : 'An identity token was exchanged for '}
        {target}
        {ifKnown(', subject ', subject)}
        {ifKnown(', issuer ', issuer)}
      </>
    ),
  },
  'api_key.refuse': {
    name: 'Request refused',
    say: ({ target, details: { route, scope, repeated, addresses } }) => (
      <>
        A request with {target}
        {ifKnown(' to ', route)} was refused{ifKnown(' without the scope ', scope)}
        {ifKnown(', ', repeated, ' times more')}
        {ifKnown(' from ', addresses, ' networks')}
      </>
    ),
  },
} satisfies Partial<Record<AuditAction, Sentence>>

const endpoints = {
  'webhook.create': {
    name: 'Endpoint added',
    say: ({ actor, target, details: { events } }) => (
      <>
        {actor} added the endpoint {target}
        {ifKnown(' for ', events)}
      </>
    ),
  },
  'webhook.update': update('Endpoint changed'),
  'webhook.delete': simple('Endpoint deleted', 'deleted the endpoint'),
  'webhook.rotate_secret': rotation(
    'Signing secret rotated',
    'rotated the signing secret of',
    'secret',
  ),
  'webhook.ping': simple('Ping sent', 'sent a ping to'),
  'webhook.test': {
    name: 'Test event sent',
    say: ({ actor, target, details: { event_type: type } }) => (
      <>
        {actor} sent a test event
        {ifKnown(' ', type)} to {target}
      </>
    ),
  },
  'webhook.retry_now': {
    name: 'Retried now',
    say: ({ actor, target, details: { deliveries } }) => (
      <>
        {actor} retried{' '}
        {typeof deliveries === 'number'
          ? countOf(deliveries, 'waiting deliver', 'y', 'ies')
          : 'a delivery'}{' '}
        of {target}
      </>
    ),
  },
  'webhook.redeliver': simple('Delivery sent again', 'sent the delivery', ' again'),
  'webhook.recover': {
    name: 'Recovery started',
    say: ({ actor, target, details: { since, until } }) => (
      <>
        {actor} started to send failed deliveries of {target} again
        {ifKnown(' since ', since)}
        {ifKnown(' until ', until)}
      </>
    ),
  },
  'webhook.recover_cancel': simple('Recovery cancelled', 'cancelled the recovery of'),
} satisfies Partial<Record<AuditAction, Sentence>>

const sessions = {
  'session.create': {
    name: 'Signed in',
    say: ({ actor, details }) => (
      <>
        {actor} signed in{withMethod(details)}
      </>
    ),
  },
  'session.confirm': {
    name: 'Identity confirmed',
    say: ({ actor, details, isRefused }) => (
      <>
        {actor} {isRefused ? 'failed to confirm' : 'confirmed'} their identity{withMethod(details)}
      </>
    ),
  },
  'session.revoke': {
    name: 'Session ended',
    say: ({ actor, details: { cause } }) => (
      <>
        {actor} ended a session{cause === undefined ? '' : ' by a change of the directory'}
      </>
    ),
  },
  'session.refuse': {
    name: 'Sign-in refused',
    say: ({ target, details }) => (
      <>
        A sign-in as {target}
        {withMethod(details)} was refused
      </>
    ),
  },
  'impersonation.start': simple('Impersonation started', 'started to impersonate'),
  'impersonation.stop': simple('Impersonation ended', 'stopped impersonating'),
  'sign_in_link.create': simple('Sign-in link created', 'created a sign-in link for'),
  'device.approve': {
    name: 'Device login approved',
    say: ({ actor, details: { client_name: client, requested_from: from } }) => (
      <>
        {actor} approved the device login{ifKnown(' of ', client)}
        {ifKnown(' from ', from)}
      </>
    ),
  },
  'device.refuse': {
    name: 'Device login refused',
    say: ({ actor, details: { client_name: client, requested_from: from } }) => (
      <>
        {actor} refused {client === undefined ? 'a device login' : 'the device login'}
        {ifKnown(' of ', client)}
        {ifKnown(' from ', from)}
      </>
    ),
  },
} satisfies Partial<Record<AuditAction, Sentence>>

const people = {
  'password.change': alone('Password changed', 'changed their password'),
  'notification_settings.update': updateOf('Notification settings changed', 'their notifications'),
  'totp.enrol': alone('Authenticator app set up', 'began to set up an authenticator app'),
  'totp.activate': {
    name: 'Authenticator app turned on',
    say: ({ actor, isRefused }) => (
      <>
        {actor} {isRefused ? 'failed to turn on' : 'turned on'} an authenticator app
      </>
    ),
  },
  'totp.remove': alone('Authenticator app removed', 'removed their authenticator app'),
  'passkey.create': {
    name: 'Passkey added',
    say: ({ actor, details: { name } }) => (
      <>
        {actor} added the passkey{ifKnown(' ', name)}
      </>
    ),
  },
  'passkey.remove': {
    name: 'Passkey removed',
    say: ({ actor, details: { name } }) => (
      <>
        {actor} removed the passkey{ifKnown(' ', name)}
      </>
    ),
  },
} satisfies Partial<Record<AuditAction, Sentence>>

const directory = {
  'key_policy.update': updateOf('Key policy changed', 'the key policy'),
  'security_policy.update': updateOf('Security policy changed', 'the security policy'),
  'audit_log.set_back': {
    name: 'Audit log set back',
    say: () => <>The last entries before a failure of the database may be missing</>,
  },
  'tenant.create': alone('Organization created', 'created the organization'),
  'tenant.update': updateOf('Organization changed', 'the organization'),
  'tenant.delete': alone('Organization deleted', 'deleted the organization'),
  'account.create': simple('Account created', 'created the account'),
  'account.update': update('Account changed', 'the account'),
  'account.delete': simple('Account deleted', 'deleted the account'),
  'user.create': simple('User created', 'created the user'),
  'user.update': update('User changed', 'the user'),
  'user.delete': simple('User deleted', 'deleted the user'),
} satisfies Partial<Record<AuditAction, Sentence>>

/** The sentence of each action. An action without one does not compile. */
export const sentences: Readonly<Record<AuditAction, Sentence>> = {
  ...keys,
  ...endpoints,
  ...sessions,
  ...people,
  ...directory,
}

const sentenceFor = (action: string): Sentence | undefined =>
  (sentences as Partial<Record<string, Sentence>>)[action]

/** The name of an action. Those of newer versions have none yet. */
export const actionName = (action: string): string => sentenceFor(action)?.name ?? action

/** What an entry says. */
export const sentenceOf = (action: string, entry: Told): ComponentChildren =>
  (sentenceFor(action) ?? simple(action, `did ${action} to`)).say(entry)
