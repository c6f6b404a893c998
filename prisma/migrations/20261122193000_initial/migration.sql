-- The tables, with their types and indexes. Prisma's schema describes the same tables; what it cannot express is here
-- only: partitioning, partial and expression indexes, check constraints and storage parameters. Functions and triggers
-- are in prisma/functions.
--
-- Columns that end in `_id` and carry no foreign key may refer to a row that was deleted or to a dropped partition.

-- ── Directory: organizations, accounts and users ──

CREATE TYPE user_kind AS ENUM ('human', 'service');
CREATE TYPE user_status AS ENUM ('active', 'deactivated');
CREATE TYPE role AS ENUM ('admin', 'support', 'reseller', 'customer');

CREATE TABLE tenants (
  id UUID PRIMARY KEY,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  edition TEXT NOT NULL DEFAULT 'standard',
  -- statement_timestamp(), not now(): Prisma takes now() for a default of its own and fills it in from the clock of
  -- the process. All times come from the database's clock.
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- Microseconds: the order in which changes become visible (docs/decisions/0085-directory-changes.md).
  updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
  deleted_at TIMESTAMPTZ(3)
);
-- A deleted organization releases its slug.
CREATE UNIQUE INDEX tenants_slug_key ON tenants (slug) WHERE deleted_at IS NULL;
-- For the list of organizations, oldest change first.
CREATE INDEX tenants_changes_idx ON tenants (updated_at, id) WHERE deleted_at IS NULL;

CREATE TABLE accounts (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL REFERENCES tenants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  name TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- Microseconds: the order in which changes become visible (docs/decisions/0085-directory-changes.md).
  updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp()
);
CREATE INDEX accounts_tenant_id_idx ON accounts (tenant_id);
-- For the lists, oldest change first: of all accounts, and of those of an organization.
CREATE INDEX accounts_updated_at_id_idx ON accounts (updated_at, id);
CREATE INDEX accounts_tenant_id_updated_at_id_idx ON accounts (tenant_id, updated_at, id);

CREATE TABLE users (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL REFERENCES tenants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  kind user_kind NOT NULL DEFAULT 'human',
  email TEXT,
  name TEXT NOT NULL,
  status user_status NOT NULL DEFAULT 'active',
  roles role[],
  password_hash TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- Microseconds: the order in which changes become visible (docs/decisions/0085-directory-changes.md).
  updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
  deleted_at TIMESTAMPTZ(3)
);
CREATE INDEX users_tenant_id_idx ON users (tenant_id);
-- A deleted user releases the e-mail address.
CREATE UNIQUE INDEX users_email_key ON users (lower(email)) WHERE deleted_at IS NULL;
-- For the lists, oldest change first: of all users, and of those of an organization.
CREATE INDEX users_changes_idx ON users (updated_at, id) WHERE kind = 'human' AND deleted_at IS NULL;
CREATE INDEX users_tenant_changes_idx ON users (tenant_id, updated_at, id)
  WHERE kind = 'human' AND deleted_at IS NULL;

-- The accounts that a reseller or customer can access.
CREATE TABLE user_accounts (
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  account_id UUID NOT NULL REFERENCES accounts (id) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (user_id, account_id)
);
CREATE INDEX user_accounts_account_id_idx ON user_accounts (account_id);

-- One row: the time of the last change of the directory.
CREATE TABLE directory_clock (
  id SMALLINT PRIMARY KEY,
  changed_at TIMESTAMPTZ(6) NOT NULL
);

-- ── Panel sessions, second factors and sign-in limits ──

CREATE TABLE panel_sessions (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  impersonator_id UUID REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  secret_hash BYTEA NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  -- The last time the person confirmed their identity.
  confirmed_at TIMESTAMPTZ(3) NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  last_seen_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  idle_expires_at TIMESTAMPTZ(3) NOT NULL,
  absolute_expires_at TIMESTAMPTZ(3) NOT NULL,
  revoked_at TIMESTAMPTZ(3),
  -- How the person signed in: password, passkey, oidc or link.
  method TEXT NOT NULL
);
CREATE INDEX panel_sessions_user_id_idx ON panel_sessions (user_id);
CREATE INDEX panel_sessions_impersonator_id_idx ON panel_sessions (impersonator_id);
CREATE INDEX panel_sessions_idle_expires_at_idx ON panel_sessions (idle_expires_at);

-- The first session of each person, which is never on a new device.
CREATE TABLE first_sign_ins (
  user_id UUID PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  session_id UUID NOT NULL
);

-- Sign-ins whose password was verified and whose code is missing (docs/specification/sign-in.md#sign-in).
CREATE TABLE pending_sign_ins (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  token_hash BYTEA NOT NULL,
  -- SHA-256 of the stored password hash: a new password ends the sign-in.
  password_fingerprint BYTEA NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX pending_sign_ins_user_id_idx ON pending_sign_ins (user_id);
CREATE INDEX pending_sign_ins_expires_at_idx ON pending_sign_ins (expires_at);

-- Random values that a browser has returned, each of which works once: the `state` of a sign-in by the identity provider
-- (docs/specification/sign-in.md#identity-provider), and the challenge of a passkey.
CREATE TABLE used_nonces (
  nonce_hash BYTEA PRIMARY KEY,
  expires_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX used_nonces_expires_at_idx ON used_nonces (expires_at);

-- Links with which the platform signs a person in to the panel (docs/specification/sign-in.md#sign-in-links).
CREATE TABLE sign_in_links (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  token_hash BYTEA NOT NULL,
  return_to TEXT NOT NULL,
  -- Whether the platform had just confirmed the person's identity.
  confirmed BOOLEAN NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3)
);
CREATE INDEX sign_in_links_user_id_idx ON sign_in_links (user_id);
CREATE INDEX sign_in_links_expires_at_idx ON sign_in_links (expires_at);

-- Forms of the panel that their pages show again (docs/specification/panel.md#forms).
CREATE TABLE form_drafts (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  page TEXT NOT NULL,
  -- The fields and errors, encrypted with a key that is derived from the server secret.
  content TEXT NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX form_drafts_user_id_idx ON form_drafts (user_id);
CREATE INDEX form_drafts_expires_at_idx ON form_drafts (expires_at);

CREATE TABLE totp_factors (
  user_id UUID PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  encrypted_seed TEXT NOT NULL,
  activated_at TIMESTAMPTZ(3),
  -- A time step is accepted once.
  last_time_step BIGINT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);

CREATE TABLE recovery_codes (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  code_hash BYTEA NOT NULL,
  used_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX recovery_codes_user_id_code_hash_key ON recovery_codes (user_id, code_hash);

-- WebAuthn credentials (docs/specification/sign-in.md#passkeys).
CREATE TABLE passkeys (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  credential_id BYTEA NOT NULL,
  -- COSE_Key (RFC 9052, section 7).
  public_key BYTEA NOT NULL,
  -- The last signature counter. It stays 0 if the authenticator does not count.
  sign_count BIGINT NOT NULL,
  transports TEXT[] NOT NULL DEFAULT '{}',
  name TEXT NOT NULL,
  backed_up BOOLEAN NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  last_used_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX passkeys_credential_id_key ON passkeys (credential_id);
CREATE INDEX passkeys_user_id_idx ON passkeys (user_id);

-- How an organization protects sign-ins and device logins (docs/specification/sign-in.md#security-policy). A row is
-- created when the policy is first read under a lock. Without a row the columns' defaults apply.
CREATE TABLE security_policies (
  tenant_id UUID PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  second_factor_required BOOLEAN NOT NULL DEFAULT false,
  -- Null: from the time at which the policy was saved.
  second_factor_from TIMESTAMPTZ(3),
  device_login TEXT NOT NULL DEFAULT 'everyone',
  device_login_same_network BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT security_policies_device_login_check CHECK (device_login IN ('everyone', 'admins', 'off'))
);

-- Recent failures of sign-in and step-up, by address, account or session.
CREATE TABLE failed_tries (
  name TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  last_at TIMESTAMPTZ(3) NOT NULL,
  blocked_until TIMESTAMPTZ(3) NOT NULL,
  -- The row no longer counts after this time and is deleted.
  forgotten_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX failed_tries_forgotten_at_idx ON failed_tries (forgotten_at);

-- ── API keys ──

CREATE TYPE key_kind AS ENUM ('personal', 'organization');
CREATE TYPE key_source AS ENUM ('panel', 'api', 'device', 'workload');

CREATE TABLE api_keys (
  id CHAR(12) PRIMARY KEY,
  tenant_id UUID NOT NULL REFERENCES tenants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  created_by_id UUID REFERENCES users (id) ON DELETE SET NULL ON UPDATE CASCADE,
  kind key_kind NOT NULL,
  source key_source NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT[],
  -- Empty: every address may use the key.
  ip_allowlist TEXT[] DEFAULT ARRAY[]::TEXT[],
  rate_limit_per_minute INTEGER NOT NULL DEFAULT 600,
  -- Every change of the key's permissions increments it. Caches compare it.
  version BIGINT NOT NULL DEFAULT 1,
  expires_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  rotated_at TIMESTAMPTZ(3),
  revoked_at TIMESTAMPTZ(3),
  last_used_at TIMESTAMPTZ(3),
  last_used_ip TEXT,
  enabled BOOLEAN NOT NULL DEFAULT true,
  -- Empty: every account that the user can access.
  accounts UUID[] DEFAULT ARRAY[]::UUID[],
  -- The key that created it. Keys are never deleted, so a foreign key would only cost locks.
  parent_key_id CHAR(12),
  -- The row of the secret that created the key. Null: the row of the parent key's creation.
  parent_lineage_id UUID
);
CREATE INDEX api_keys_tenant_id_created_at_id_idx ON api_keys (tenant_id, created_at DESC, id);
CREATE INDEX api_keys_user_id_idx ON api_keys (user_id);
CREATE INDEX api_keys_created_by_id_idx ON api_keys (created_by_id);
CREATE INDEX api_keys_parent_key_id_idx ON api_keys (parent_key_id);

CREATE TABLE api_key_secrets (
  id UUID PRIMARY KEY,
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  hash BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- The end of the overlap period of a rotated secret. Null: the current secret.
  expires_at TIMESTAMPTZ(3),
  -- Null: the row of the key's creation.
  lineage_id UUID
);
CREATE INDEX api_key_secrets_key_id_idx ON api_key_secrets (key_id);
CREATE UNIQUE INDEX api_key_secrets_present_key ON api_key_secrets (key_id) WHERE expires_at IS NULL;

-- Where the secrets of keys come from (docs/decisions/0078-stored-lineage.md).
-- A key has one row for its creation, and one for each row of another key that rotated it. The rows form trees.
CREATE TABLE key_lineage (
  id UUID PRIMARY KEY,
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Whether it is the row of the key's creation. The other rows are those of secrets that other keys created.
  is_first BOOLEAN NOT NULL,
  -- The row of the secret that created the key or rotated it. Null: a session did.
  parent_id UUID,
  root_id UUID NOT NULL,
  depth INTEGER NOT NULL,
  -- An ancestor that is further away, so that any ancestor is found in a logarithmic number of steps (E. W. Myers,
  -- An applicative random-access stack, 1983). That of a root is the root.
  jump_id UUID NOT NULL,
  jump_depth INTEGER NOT NULL,
  -- When its key or its secrets ended.
  ended_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX key_lineage_key_id_parent_id_key ON key_lineage (key_id, parent_id);
CREATE UNIQUE INDEX key_lineage_first_key ON key_lineage (key_id) WHERE is_first;
CREATE INDEX key_lineage_parent_id_id_idx ON key_lineage (parent_id, id);
CREATE INDEX key_lineage_live_idx ON key_lineage (root_id, depth, id) WHERE ended_at IS NULL;

-- Keys whose descendants are being revoked. The named key itself is revoked already.
CREATE TABLE key_revocations (
  key_id CHAR(12) PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- What the audit entries of the revoked keys have in common.
  audit JSONB NOT NULL
);
CREATE INDEX key_revocations_created_at_idx ON key_revocations (created_at);

-- What workload keys exchange for their tokens (docs/specification/workload-keys.md).
CREATE TABLE workload_identities (
  key_id CHAR(12) PRIMARY KEY REFERENCES api_keys (id) ON UPDATE CASCADE ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  conditions JSONB NOT NULL,
  token_lifetime_seconds INTEGER NOT NULL
);

-- Identity tokens that were exchanged, until they would be refused as expired.
CREATE TABLE used_identity_tokens (
  fingerprint BYTEA PRIMARY KEY,
  expires_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX used_identity_tokens_expires_at_idx ON used_identity_tokens (expires_at);

-- The subjects that a workload key has issued a token to within the last 90 days, for the notice of a new one.
CREATE TABLE workload_subjects (
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON UPDATE CASCADE ON DELETE CASCADE,
  subject_hash BYTEA NOT NULL,
  first_exchanged_at TIMESTAMPTZ(3) NOT NULL,
  last_exchanged_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (key_id, subject_hash)
);
CREATE INDEX workload_subjects_last_exchanged_at_idx ON workload_subjects (last_exchanged_at);

-- The key policy of an organization. A row is created when the policy is first read under a lock: key changes lock the
-- row, so that a new policy applies to every key that is committed after it (docs/decisions/0059). Without a row the
-- columns' defaults apply.
CREATE TABLE key_policies (
  tenant_id UUID PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Null: keys need not expire.
  max_lifetime_days INTEGER,
  ip_allowlist_required BOOLEAN NOT NULL DEFAULT false,
  personal_keys_allowed BOOLEAN NOT NULL DEFAULT true,
  CONSTRAINT key_policies_max_lifetime_days_check CHECK (max_lifetime_days BETWEEN 1 AND 3650)
);

-- Requests of keys by day, and their outcomes.
CREATE TABLE api_key_usage (
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  date DATE NOT NULL,
  requests BIGINT NOT NULL,
  refused BIGINT NOT NULL DEFAULT 0,
  rate_limited BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (key_id, date)
);

-- Key changes that have not reached Redis. A row is kept until Redis has it.
CREATE TABLE gate_invalidations (
  key_id CHAR(12) PRIMARY KEY,
  version BIGINT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);

-- Calls of the last minute that are limited by address or key: POST /auth/revoke, POST /auth/token.
CREATE TABLE counted_calls (
  id UUID PRIMARY KEY,
  operation TEXT NOT NULL,
  caller TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX counted_calls_operation_caller_created_at_idx ON counted_calls (operation, caller, created_at);
CREATE INDEX counted_calls_created_at_idx ON counted_calls (created_at);

-- ── Device login ──

CREATE TYPE device_request_status AS ENUM ('pending', 'approved', 'denied', 'delivered');

CREATE TABLE device_requests (
  id UUID PRIMARY KEY,
  device_code_hash BYTEA NOT NULL,
  user_code_hash BYTEA NOT NULL,
  client_name TEXT NOT NULL,
  ip TEXT NOT NULL,
  -- The IPv4 address or IPv6 /64 that the limits count.
  address_group TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  status device_request_status NOT NULL DEFAULT 'pending',
  access TEXT,
  decided_by_id UUID,
  decided_at TIMESTAMPTZ(3),
  last_polled_at TIMESTAMPTZ(3),
  api_key_id CHAR(12),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  decided_ip TEXT,
  -- Identifies the approver's password at approval. A later password change voids the approval.
  approver_mark BYTEA,
  -- The approver's session. Ending it voids the approval.
  decided_session_id UUID,
  -- The accounts that the approver limited the key to. Empty: not limited.
  accounts UUID[] DEFAULT ARRAY[]::UUID[],
  -- Which policy refused the approved login; null if none did.
  refusal TEXT
);
CREATE UNIQUE INDEX device_requests_device_code_hash_key ON device_requests (device_code_hash);
CREATE UNIQUE INDEX device_requests_user_code_hash_key ON device_requests (user_code_hash);
CREATE UNIQUE INDEX device_requests_user_code_key ON device_requests (user_code_hash)
  WHERE status IN ('pending', 'approved');
CREATE INDEX device_requests_address_group_created_at_idx ON device_requests (address_group, created_at);
CREATE INDEX device_requests_created_at_idx ON device_requests (created_at);

-- Wrong user codes that a person entered recently.
CREATE TABLE wrong_user_codes (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL,
  given_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX wrong_user_codes_user_id_given_at_idx ON wrong_user_codes (user_id, given_at);
CREATE INDEX wrong_user_codes_given_at_idx ON wrong_user_codes (given_at);

-- ── Webhook endpoints ──

CREATE TYPE endpoint_disabled_reason AS ENUM ('manual', 'failing');

CREATE TABLE webhook_endpoints (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL REFERENCES tenants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  url TEXT NOT NULL,
  events TEXT[],
  description TEXT,
  enabled BOOLEAN NOT NULL DEFAULT true,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  disabled_at TIMESTAMPTZ(3),
  secret_rotated_at TIMESTAMPTZ(3),
  deleted_at TIMESTAMPTZ(3),
  -- Deletion only marks the endpoint. The workers end its unfinished deliveries in batches and set this column when
  -- no delivery is left and none can be added.
  emptied_at TIMESTAMPTZ(3),
  -- Null exactly while the endpoint is enabled.
  disabled_reason endpoint_disabled_reason,
  rate_limit_per_second INTEGER,
  disable_after_failing_hours INTEGER,
  -- Whether the attempts also carry the headers of Standard Webhooks.
  standard_webhooks BOOLEAN NOT NULL DEFAULT false
);
CREATE INDEX webhook_endpoints_living_idx ON webhook_endpoints (tenant_id, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX webhook_endpoints_unemptied_idx ON webhook_endpoints (tenant_id)
  WHERE deleted_at IS NOT NULL AND emptied_at IS NULL;
CREATE INDEX webhook_endpoints_emptied_idx ON webhook_endpoints (emptied_at) WHERE emptied_at IS NOT NULL;

-- Signing secrets, encrypted by the secrets store.
CREATE TABLE webhook_secrets (
  id UUID PRIMARY KEY,
  endpoint_id UUID NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  encrypted TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- The end of the overlap period of a rotated secret. Null: the current secret.
  expires_at TIMESTAMPTZ(3),
  -- Whether the secret is `whsec_` and 32 bytes in standard base64.
  standard_form BOOLEAN NOT NULL DEFAULT false
);
CREATE INDEX webhook_secrets_endpoint_id_idx ON webhook_secrets (endpoint_id);
CREATE UNIQUE INDEX webhook_secrets_present_key ON webhook_secrets (endpoint_id) WHERE expires_at IS NULL;

-- When an endpoint last succeeded and failed, its lane, and when it is due. Attempts write it. A separate table, so
-- that attempts do not lock the endpoint's row, which people change.
CREATE TABLE webhook_endpoint_schedules (
  endpoint_id UUID PRIMARY KEY REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  last_success_at TIMESTAMPTZ(3),
  last_failure_at TIMESTAMPTZ(3),
  -- Until then the endpoint's deliveries use the slow lane, because an attempt timed out.
  slow_until TIMESTAMPTZ(6),
  -- No unfinished delivery of the endpoint is due earlier, so the relay does not search before it.
  due_from TIMESTAMPTZ(6)
);

-- The custom headers of an endpoint: names to values, as JSON encrypted by the secrets store. A change replaces the row,
-- so the headers of an id never change.
CREATE TABLE webhook_headers (
  id UUID PRIMARY KEY,
  endpoint_id UUID NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  names TEXT[],
  encrypted TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);
CREATE UNIQUE INDEX webhook_headers_endpoint_id_key ON webhook_headers (endpoint_id);

-- Failures in a row, and incidents. Triggers count them in the transactions that record attempts and that disable,
-- enable or delete endpoints.

CREATE TYPE endpoint_health_state AS ENUM ('unknown', 'healthy', 'failing');
CREATE TYPE incident_closed_by AS ENUM ('success', 'disabled', 'deleted');

CREATE TABLE webhook_incidents (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL,
  endpoint_id UUID NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- The start of the first of the failed attempts.
  opened_at TIMESTAMPTZ(3) NOT NULL,
  closed_at TIMESTAMPTZ(3),
  closed_by incident_closed_by,
  failed_attempts INTEGER NOT NULL,
  last_status_code INTEGER,
  last_error_class TEXT
) WITH (fillfactor = 50);
CREATE INDEX webhook_incidents_endpoint_id_id_idx ON webhook_incidents (endpoint_id, id DESC);
CREATE INDEX webhook_incidents_closed_at_idx ON webhook_incidents (closed_at);
CREATE INDEX webhook_incidents_open_idx ON webhook_incidents (opened_at) WHERE closed_at IS NULL;

-- A table of its own: counting failures locks these rows, which neither the relay nor most changes of endpoints lock.
CREATE TABLE webhook_endpoint_failures (
  endpoint_id UUID PRIMARY KEY REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Whether attempts count: the endpoint is enabled and not deleted.
  is_counting BOOLEAN NOT NULL,
  state endpoint_health_state NOT NULL DEFAULT 'unknown',
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  -- The start of the first of these failures.
  first_failure_at TIMESTAMPTZ(3),
  -- The open incident. Set exactly while the state is failing.
  incident_id UUID,
  last_status_code INTEGER,
  last_error_class TEXT
) WITH (fillfactor = 50);

-- The rate limit of an endpoint: when its next attempt may start. A table of its own: claims lock its rows, and nothing
-- else does.
CREATE TABLE webhook_throttles (
  endpoint_id UUID PRIMARY KEY REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- The time of the next attempt if attempts are spread evenly.
  next_at TIMESTAMPTZ(6) NOT NULL
) WITH (fillfactor = 50);

-- Clients that listen to an organization's events. The primary key limits them to the number of slots.
CREATE TABLE webhook_listeners (
  tenant_id UUID NOT NULL,
  slot SMALLINT NOT NULL,
  id UUID NOT NULL,
  -- A client renews its slot; another client may take an expired one.
  expires_at TIMESTAMPTZ(3) NOT NULL,
  -- The key or person that the client authenticated as. Each may hold a share of the slots.
  caller TEXT,
  PRIMARY KEY (tenant_id, slot)
);
CREATE INDEX webhook_listeners_expires_at_idx ON webhook_listeners (expires_at);

-- ── Events and deliveries ──
--
-- events, deliveries and delivery_attempts are partitioned by day over UUIDv7 ids. make_partitions() creates the
-- partitions.

CREATE TYPE delivery_outcome AS ENUM ('succeeded', 'dead');

CREATE TABLE events (
  id UUID PRIMARY KEY,
  -- The public id, which the publisher may choose.
  event_id UUID NOT NULL,
  tenant_id UUID NOT NULL,
  type TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  -- The exact bytes of the envelope that every attempt sends.
  payload TEXT NOT NULL,
  delivery_count INTEGER NOT NULL,
  -- The span that published the event (W3C Trace Context).
  trace_parent TEXT,
  -- What the event is about, from its data: the object, its account, and its domain, zone or host name.
  object_id TEXT,
  account_id TEXT,
  name TEXT,
  -- The position in the event log, from event_positions. Null for pings and tests, which are not in the log.
  position BIGINT
) PARTITION BY RANGE (id);
CREATE INDEX events_log_idx ON events (tenant_id, position) WHERE position IS NOT NULL;
CREATE INDEX events_log_object_idx ON events (tenant_id, object_id, position) WHERE position IS NOT NULL;
CREATE INDEX events_log_account_idx ON events (tenant_id, account_id, position)
  WHERE position IS NOT NULL AND account_id IS NOT NULL;

-- The positions of events in the order of acceptance. event_log_horizon() tells which of them are final.
CREATE SEQUENCE event_positions;

-- Ids that publishers chose: each is accepted once per organization.
CREATE TABLE published_event_ids (
  tenant_id UUID NOT NULL,
  event_id UUID NOT NULL,
  -- events.id, which determines the partition.
  event_ref UUID NOT NULL,
  PRIMARY KEY (tenant_id, event_id)
);
CREATE INDEX published_event_ids_event_ref_idx ON published_event_ids (event_ref);

CREATE TABLE deliveries (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL,
  endpoint_id UUID NOT NULL,
  event_ref UUID NOT NULL,
  event_id UUID NOT NULL,
  event_type TEXT NOT NULL,
  event_created_at TIMESTAMPTZ(3) NOT NULL,
  redelivery_of UUID,
  -- Null while the delivery is unfinished; then pending_deliveries has a row for it.
  outcome delivery_outcome,
  attempt_count INTEGER NOT NULL DEFAULT 0,
  completed_at TIMESTAMPTZ(3),
  -- Whether the outcome is `dead`. The partial indexes use this column and not `outcome`: almost every delivery
  -- succeeds, and an update that changes no indexed column can skip all indexes (a heap-only tuple update).
  dead BOOLEAN NOT NULL DEFAULT false,
  -- What the event is about, as in `events`.
  object_id TEXT,
  account_id TEXT,
  event_name TEXT,
  -- Of the last attempt of a finished delivery. Not indexed, for the same reason.
  last_status_code INTEGER,
  last_error_class TEXT,
  CONSTRAINT deliveries_dead_check CHECK (dead = (outcome IS NOT DISTINCT FROM 'dead'))
) PARTITION BY RANGE (id);
CREATE INDEX deliveries_tenant_id_id_idx ON deliveries (tenant_id, id DESC);
CREATE INDEX deliveries_endpoint_id_id_idx ON deliveries (endpoint_id, id DESC);
CREATE INDEX deliveries_tenant_id_event_type_id_idx ON deliveries (tenant_id, event_type, id DESC);
CREATE INDEX deliveries_event_ref_idx ON deliveries (event_ref);
-- Searches ignore case, in any locale of the database, and find ids of objects by their first characters.
CREATE INDEX deliveries_object_idx ON deliveries (tenant_id, (lower(object_id COLLATE "und-x-icu") COLLATE "C"), id DESC);
CREATE INDEX deliveries_account_idx ON deliveries (tenant_id, account_id, id DESC) WHERE account_id IS NOT NULL;
CREATE INDEX deliveries_name_idx ON deliveries (tenant_id, (lower(event_name COLLATE "und-x-icu") COLLATE "C"), id DESC)
  WHERE event_name IS NOT NULL;
-- Few deliveries are dead, but lists and recoveries search for them among all.
CREATE INDEX deliveries_tenant_dead_idx ON deliveries (tenant_id, id DESC) WHERE dead;
CREATE INDEX deliveries_endpoint_dead_idx ON deliveries (endpoint_id, id DESC) WHERE dead;
CREATE INDEX deliveries_endpoint_died_idx ON deliveries (endpoint_id, completed_at DESC) WHERE dead;

-- The unfinished deliveries. A row is held until `held_until` by a job in Redis, or by a worker if it has a lease.
CREATE TABLE pending_deliveries (
  delivery_id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL,
  endpoint_id UUID NOT NULL,
  event_ref UUID NOT NULL,
  attempts_made INTEGER NOT NULL DEFAULT 0,
  -- Microseconds, because these are compared with the clock: rounding to milliseconds could move them into the
  -- future.
  due_at TIMESTAMPTZ(6) NOT NULL,
  held_until TIMESTAMPTZ(6) NOT NULL,
  lease_id UUID,
  -- When the relay expects a delivery of an endpoint with a rate limit to start.
  starts_at TIMESTAMPTZ(6),
  -- Of the last attempt. Null before the first.
  last_status_code INTEGER,
  last_error_class TEXT,
  last_attempt_at TIMESTAMPTZ(6)
) WITH (
  -- Rows are short-lived and updated several times: vacuum early, and leave room in each page for new versions.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05,
  fillfactor = 50
);
-- No condition matches two indexes of a queue: while the queue is empty, PostgreSQL would choose any of them, and read all
-- of it (docs/decisions/0101-plans-of-hot-statements.md). Therefore the ids are keys as bytes, and indexes are partial.
--
-- The deliveries of an endpoint in the order in which they are due.
CREATE INDEX pending_deliveries_due_idx ON pending_deliveries (endpoint_id, due_at, (uuid_send(delivery_id)));
-- Lists of unfinished deliveries by status: first attempts (0) and retries (1) of an endpoint, newest first.
CREATE INDEX pending_deliveries_list_idx
  ON pending_deliveries (endpoint_id, (least(attempts_made, 1)), (uuid_send(delivery_id)) DESC)
  WHERE least(attempts_made, 1) IS NOT NULL;

-- When the relay must look for unfinished deliveries of an endpoint. Publishing adds rows, and the relay removes each
-- row that it has processed.
CREATE TABLE endpoint_wakeups (
  endpoint_id UUID NOT NULL,
  at TIMESTAMPTZ(6) NOT NULL,
  id UUID NOT NULL DEFAULT gen_random_uuid(),
  tenant_id UUID NOT NULL,
  -- The lane that the deliveries probably use.
  slow BOOLEAN NOT NULL DEFAULT false,
  -- The endpoint had as many due deliveries as its concurrency limit allows.
  is_full BOOLEAN NOT NULL DEFAULT false,
  PRIMARY KEY (endpoint_id, at, id)
) WITH (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05
);
CREATE INDEX endpoint_wakeups_normal_idx ON endpoint_wakeups (at) WHERE NOT slow;
CREATE INDEX endpoint_wakeups_slow_idx ON endpoint_wakeups (at) WHERE slow;
CREATE INDEX endpoint_wakeups_full_idx ON endpoint_wakeups (at) WHERE is_full;

CREATE TABLE delivery_attempts (
  id UUID PRIMARY KEY,
  delivery_id UUID NOT NULL,
  endpoint_id UUID NOT NULL,
  tenant_id UUID NOT NULL,
  number INTEGER NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  duration_ms INTEGER NOT NULL,
  status_code INTEGER,
  error_class TEXT
) PARTITION BY RANGE (id);
CREATE INDEX delivery_attempts_delivery_id_idx ON delivery_attempts (delivery_id);
CREATE INDEX delivery_attempts_endpoint_id_id_idx ON delivery_attempts (endpoint_id, id DESC);

-- Attempts by endpoint and time span. A trigger adds a row per batch of recorded attempts. The workers merge the rows
-- of a span into one, and after two hours the spans of an hour into one. The sum over the rows is exact at every
-- moment.
CREATE TABLE attempt_stats (
  tenant_id UUID NOT NULL,
  endpoint_id UUID NOT NULL,
  start TIMESTAMPTZ(3) NOT NULL,
  id BIGSERIAL NOT NULL,
  -- The length of the span: 5 or 60.
  minutes SMALLINT NOT NULL DEFAULT 5,
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  durations INTEGER[],
  -- How often each duration occurred. Null in a row that is not merged: each occurred once.
  counts INTEGER[],
  PRIMARY KEY (tenant_id, endpoint_id, start, id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
-- Rows to merge.
CREATE INDEX attempt_stats_unmerged_idx ON attempt_stats (start) WHERE counts IS NULL;
-- Rows to merge into hours, and to delete.
CREATE INDEX attempt_stats_merged_idx ON attempt_stats (minutes, start) WHERE counts IS NOT NULL;

-- What an organization used, by day in UTC, for longer than its events and attempts are kept. A publish adds a row in
-- its own transaction, so no two publishes wait for each other. The duty merge-stats merges the rows of a day into one,
-- and moves the attempts of attempt_stats here when it drops them. The sum over the rows is exact at every moment.
CREATE TABLE usage_counts (
  tenant_id UUID NOT NULL,
  date DATE NOT NULL,
  id BIGSERIAL NOT NULL,
  merged BOOLEAN NOT NULL DEFAULT false,
  events BIGINT NOT NULL DEFAULT 0,
  attempts BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, date, id)
);
CREATE INDEX usage_counts_unmerged_idx ON usage_counts (id) WHERE NOT merged;
CREATE INDEX usage_counts_date_idx ON usage_counts (date);

-- Endpoints whose waiting retries are being made due, if they are too many for one transaction: those whose last attempt
-- was recorded before the request.
CREATE TABLE webhook_retries (
  endpoint_id UUID PRIMARY KEY REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  requested_at TIMESTAMPTZ(6) NOT NULL
);

-- ── Recoveries ──

CREATE TYPE recovery_status AS ENUM ('running', 'done', 'cancelled');

-- The redelivery of all dead deliveries of an endpoint that were created in a time span. The workers process them in
-- the order of their ids, at a steady pace.
CREATE TABLE webhook_recoveries (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL,
  endpoint_id UUID NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  status recovery_status NOT NULL DEFAULT 'running',
  -- The ids of the span: from this one (inclusive) to before_id (exclusive).
  from_id UUID NOT NULL,
  before_id UUID NOT NULL,
  -- The last delivery that was processed.
  done_id UUID,
  any_status BOOLEAN NOT NULL DEFAULT false,
  -- The patterns of the events that are sent. Empty: all.
  event_types TEXT[],
  -- Whether the deliveries of the span are processed. Then the backfill follows, if there is one: the events after one
  -- position of the log, up to another one.
  deliveries_done BOOLEAN NOT NULL DEFAULT false,
  log_after BIGINT,
  log_until BIGINT,
  total INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  stepped_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);
CREATE INDEX webhook_recoveries_endpoint_id_idx ON webhook_recoveries (endpoint_id);
CREATE INDEX webhook_recoveries_running_idx ON webhook_recoveries (created_at) WHERE status = 'running';

-- One row: the last time the recoveries made progress. It sets their common pace over any number of workers.
CREATE TABLE recovery_rounds (
  id SMALLINT PRIMARY KEY,
  started_at TIMESTAMPTZ(6) NOT NULL
);

-- ── Notices ──
--
-- To people, in the panel and by mail. Triggers and functions write them in the transactions that cause them.

CREATE TABLE notices (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL,
  user_id UUID NOT NULL,
  type TEXT NOT NULL,
  -- What the notice is about, such as an incident: a person gets one notice per type and occurrence.
  occurrence TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  subject_name TEXT NOT NULL,
  -- Further facts for the text.
  details JSONB NOT NULL DEFAULT '{}',
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  read_at TIMESTAMPTZ(3),
  -- The position in the internal feed. It is assigned after the commit, so no later notice has an earlier position.
  position BIGINT
);
CREATE UNIQUE INDEX notices_user_id_type_occurrence_key ON notices (user_id, type, occurrence);
CREATE UNIQUE INDEX notices_position_key ON notices (position);
CREATE INDEX notices_user_id_id_idx ON notices (user_id, id DESC);
CREATE INDEX notices_unread_idx ON notices (user_id, id DESC) WHERE read_at IS NULL;
CREATE INDEX notices_unplaced_idx ON notices (id) WHERE position IS NULL;
CREATE SEQUENCE notice_positions;

-- The mail of a notice. `due_at` is the time of the next try, and while a worker has the lease, the end of the lease.
CREATE TABLE notice_mails (
  notice_id UUID PRIMARY KEY REFERENCES notices (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Microseconds, because this is compared with the clock: rounding could move it into the future.
  due_at TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
  tries INTEGER NOT NULL DEFAULT 0,
  lease_id UUID,
  ended_at TIMESTAMPTZ(3),
  outcome TEXT,
  tenant_id UUID,
  is_security BOOLEAN NOT NULL DEFAULT false,
  -- The order of the waiting mails, after those of category `security`. Each further mail of an organization goes a
  -- minute further back, so a new mail of another organization goes ahead of them. It delays no mail: whatever is first
  -- is sent at once.
  turn_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  user_id UUID,
  -- Identifies the email that contains this mail, from the first try on. Tries of an email contain the same mails.
  digest_id UUID
);
CREATE INDEX notice_mails_due_idx ON notice_mails (due_at) WHERE ended_at IS NULL;
-- The order in which waiting mails are sent.
CREATE INDEX notice_mails_turn_idx ON notice_mails (is_security DESC, turn_at, notice_id)
  WHERE ended_at IS NULL;
-- The last turn of an organization.
CREATE INDEX notice_mails_tenant_idx ON notice_mails (tenant_id, is_security, turn_at)
  WHERE ended_at IS NULL;
-- The waiting mails of a person, which one email contains.
CREATE INDEX notice_mails_user_idx ON notice_mails (user_id) WHERE ended_at IS NULL;

-- Until when new mails of a person wait, to be sent in one email. Mails of category `security` never wait.
CREATE TABLE mail_pauses (
  user_id UUID PRIMARY KEY,
  until TIMESTAMPTZ(3) NOT NULL
);

-- Which notices a person wants by mail. Without a row: all.
CREATE TABLE notification_settings (
  user_id UUID PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  email_webhooks BOOLEAN NOT NULL DEFAULT true,
  email_api_keys BOOLEAN NOT NULL DEFAULT true,
  email_security BOOLEAN NOT NULL DEFAULT true
);

-- The next expiry notice of each key that has one: `days` before the key expires.
CREATE TABLE key_expiry_notices (
  key_id CHAR(12) PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  days SMALLINT NOT NULL,
  due_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX key_expiry_notices_due_at_idx ON key_expiry_notices (due_at);

-- From when on an endpoint may get its next notice of a type. A row without a waiting incident whose time has passed
-- has no effect, and a worker deletes it. There is no foreign key, so that recording attempts locks no endpoint.
CREATE TABLE webhook_notice_limits (
  endpoint_id UUID NOT NULL,
  type TEXT NOT NULL,
  next_at TIMESTAMPTZ(3) NOT NULL,
  -- The latest incident without a notice of this type. Its notice follows at `next_at` if it still is the news.
  waiting_incident_id UUID,
  PRIMARY KEY (endpoint_id, type)
);
CREATE INDEX webhook_notice_limits_next_at_idx ON webhook_notice_limits (next_at);

-- ── Audit log ──

-- Append-only: triggers refuse every change.
CREATE TABLE audit_events (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL,
  occurred_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  action TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT,
  actor_key_id TEXT,
  target_type TEXT,
  target_id TEXT,
  ip TEXT,
  request_id TEXT,
  details JSONB NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_events_tenant_id_id_idx ON audit_events (tenant_id, id DESC);
CREATE INDEX audit_events_actor_key_id_id_idx ON audit_events (actor_key_id, id DESC);
CREATE INDEX audit_events_target_id_id_idx ON audit_events (target_id, id DESC);
-- For the filters by action and by actor, and for the lists of an organization's actions and actors.
CREATE INDEX audit_events_tenant_id_action_id_idx ON audit_events (tenant_id, action, id DESC);
CREATE INDEX audit_events_tenant_id_actor_id_id_idx ON audit_events (tenant_id, actor_id, id DESC);

-- The hash chain over the audit events of an organization, in the order of sealing.
CREATE TABLE audit_seals (
  tenant_id UUID NOT NULL,
  sequence BIGINT NOT NULL,
  audit_event_id UUID NOT NULL,
  hash BYTEA NOT NULL,
  sealed_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (tenant_id, sequence)
);
CREATE UNIQUE INDEX audit_seals_audit_event_id_key ON audit_seals (audit_event_id);

-- The installation-wide chain. Each row is the head of one organization's chain after a batch of seals, and is
-- chained to the row before it by a keyed hash. The latest row of an organization is its head. Rows are only added.
CREATE TABLE audit_chain (
  sequence BIGINT PRIMARY KEY,
  tenant_id UUID NOT NULL,
  count BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  link BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX audit_chain_tenant_id_sequence_idx ON audit_chain (tenant_id, sequence DESC);

-- Audit events that are not sealed yet. A trigger adds them.
CREATE TABLE audit_unsealed (
  audit_event_id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL
);
CREATE INDEX audit_unsealed_tenant_id_audit_event_id_idx ON audit_unsealed (tenant_id, audit_event_id);

-- A refusal of a key whose repeats are counted for a minute. Then they become one audit event.
CREATE TABLE refusal_windows (
  key_id CHAR(12) NOT NULL,
  reason TEXT NOT NULL,
  -- The IPv4 address or IPv6 /64 of the requests.
  address_group TEXT NOT NULL,
  route TEXT NOT NULL,
  -- The audit event of the first refusal.
  first_id UUID NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  repeated INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (key_id, reason, address_group, route)
);
CREATE INDEX refusal_windows_started_at_idx ON refusal_windows (started_at);

-- How many audit events the refusals of a key for one reason used in a minute, and how many refusals exceeded the
-- limit.
CREATE TABLE refusal_minutes (
  key_id CHAR(12) NOT NULL,
  reason TEXT NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  rows INTEGER NOT NULL DEFAULT 0,
  -- The number of refusals over the limit, and the first of them.
  crowd BIGINT NOT NULL DEFAULT 0,
  sample JSONB,
  PRIMARY KEY (key_id, reason)
);
CREATE INDEX refusal_minutes_started_at_idx ON refusal_minutes (started_at);

-- The address groups of the refusals over the limit.
CREATE TABLE refusal_crowds (
  key_id CHAR(12) NOT NULL,
  reason TEXT NOT NULL,
  address_group TEXT NOT NULL,
  PRIMARY KEY (key_id, reason, address_group)
);

-- ── Idempotency and settings ──

-- Responses that are kept for a day for requests with an Idempotency-Key. No row holds a secret.
CREATE TABLE idempotency_records (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash BYTEA NOT NULL,
  status INTEGER,
  -- JSON, not JSONB, which does not keep the order of members: a replay returns the same text.
  body JSON,
  locked_until TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  -- Identifies the request that holds the record. Its response is stored only while it does.
  run_id UUID,
  PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_records_expires_at_idx ON idempotency_records (expires_at);

-- Values that the service generates once and keeps, such as the server secret.
CREATE TABLE service_settings (
  name TEXT PRIMARY KEY,
  value BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);

-- The files of prisma/functions that were applied. `npm run migrate` compares the hashes with those of the files.
CREATE TABLE applied_functions (
  name TEXT PRIMARY KEY,
  -- SHA-256 of the function, and of its triggers, after its constants were filled in.
  function_hash TEXT NOT NULL,
  triggers_hash TEXT NOT NULL,
  applied_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);

-- Sessions use UTC. A connection of the service sets it at start-up, which a pooler such as PgBouncer in transaction
-- mode ignores; so it is also a setting of the database.
DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I SET timezone TO %L', current_database(), 'UTC');
EXCEPTION WHEN insufficient_privilege THEN
  RAISE WARNING 'Only the owner of the database may set its time zone. Behind a pooler it must be UTC.';
END
$$;
