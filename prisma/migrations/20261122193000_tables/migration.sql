-- The tables, with their types and indexes. Prisma's schema describes the same tables; what it cannot express is here
-- only: partitioning, partial and expression indexes, check constraints and storage parameters.
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
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  deleted_at TIMESTAMPTZ(3)
);
-- A deleted organization releases its slug.
CREATE UNIQUE INDEX tenants_slug_key ON tenants (slug) WHERE deleted_at IS NULL;

CREATE TABLE accounts (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL REFERENCES tenants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  name TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);
CREATE INDEX accounts_tenant_id_idx ON accounts (tenant_id);

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
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  deleted_at TIMESTAMPTZ(3)
);
CREATE INDEX users_tenant_id_idx ON users (tenant_id);
-- A deleted user releases the e-mail address.
CREATE UNIQUE INDEX users_email_key ON users (lower(email)) WHERE deleted_at IS NULL;

-- The accounts that a reseller or customer can access.
CREATE TABLE user_accounts (
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  account_id UUID NOT NULL REFERENCES accounts (id) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (user_id, account_id)
);
CREATE INDEX user_accounts_account_id_idx ON user_accounts (account_id);

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
  revoked_at TIMESTAMPTZ(3)
);
CREATE INDEX panel_sessions_user_id_idx ON panel_sessions (user_id);
CREATE INDEX panel_sessions_impersonator_id_idx ON panel_sessions (impersonator_id);
CREATE INDEX panel_sessions_idle_expires_at_idx ON panel_sessions (idle_expires_at);

CREATE TABLE totp_factors (
  user_id UUID PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  sealed_seed TEXT NOT NULL,
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

-- Recent failures of sign-in and step-up, by address, account or session.
CREATE TABLE throttles (
  name TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  last_at TIMESTAMPTZ(3) NOT NULL,
  blocked_until TIMESTAMPTZ(3) NOT NULL,
  -- The row no longer counts after this time and is deleted.
  forgotten_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX throttles_forgotten_at_idx ON throttles (forgotten_at);

-- ── API keys ──

CREATE TYPE key_kind AS ENUM ('personal', 'organization');
CREATE TYPE key_source AS ENUM ('panel', 'api', 'device');

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
  last_used_ip TEXT
);
CREATE INDEX api_keys_tenant_id_created_at_id_idx ON api_keys (tenant_id, created_at DESC, id);
CREATE INDEX api_keys_user_id_idx ON api_keys (user_id);
CREATE INDEX api_keys_created_by_id_idx ON api_keys (created_by_id);

CREATE TABLE api_key_secrets (
  id UUID PRIMARY KEY,
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  hash BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- The end of the overlap period of a rotated secret. Null: the current secret.
  expires_at TIMESTAMPTZ(3)
);
CREATE INDEX api_key_secrets_key_id_idx ON api_key_secrets (key_id);
CREATE UNIQUE INDEX api_key_secrets_present_key ON api_key_secrets (key_id) WHERE expires_at IS NULL;

CREATE TABLE api_key_usage (
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  date DATE NOT NULL,
  requests BIGINT NOT NULL,
  PRIMARY KEY (key_id, date)
);

-- Changes of keys that Redis could not be told. A row is kept until Redis has it.
CREATE TABLE gate_invalidations (
  key_id CHAR(12) PRIMARY KEY,
  version BIGINT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);

-- Calls of POST /auth/revoke in the last minute, by IPv4 address or IPv6 /64.
CREATE TABLE revocation_attempts (
  id UUID PRIMARY KEY,
  ip_group TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX revocation_attempts_ip_group_created_at_idx ON revocation_attempts (ip_group, created_at);
CREATE INDEX revocation_attempts_created_at_idx ON revocation_attempts (created_at);

-- ── Device login ──

CREATE TYPE device_request_status AS ENUM ('pending', 'approved', 'denied', 'delivered');

CREATE TABLE device_requests (
  id UUID PRIMARY KEY,
  device_code_hash BYTEA NOT NULL,
  user_code_hash BYTEA NOT NULL,
  client_name TEXT NOT NULL,
  ip TEXT NOT NULL,
  -- The IPv4 address or IPv6 /64 that the limits count.
  ip_group TEXT NOT NULL,
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
  decided_session_id UUID
);
CREATE UNIQUE INDEX device_requests_device_code_hash_key ON device_requests (device_code_hash);
CREATE UNIQUE INDEX device_requests_user_code_hash_key ON device_requests (user_code_hash);
CREATE UNIQUE INDEX device_requests_user_code_key ON device_requests (user_code_hash)
  WHERE status IN ('pending', 'approved');
CREATE INDEX device_requests_ip_group_created_at_idx ON device_requests (ip_group, created_at);
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
  emptied_at TIMESTAMPTZ(3)
);
CREATE INDEX webhook_endpoints_living_idx ON webhook_endpoints (tenant_id, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX webhook_endpoints_unemptied_idx ON webhook_endpoints (tenant_id)
  WHERE deleted_at IS NOT NULL AND emptied_at IS NULL;
CREATE INDEX webhook_endpoints_emptied_idx ON webhook_endpoints (emptied_at) WHERE emptied_at IS NOT NULL;

-- Signing secrets, sealed by the secrets store.
CREATE TABLE webhook_secrets (
  id UUID PRIMARY KEY,
  endpoint_id UUID NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  sealed TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- The end of the overlap period of a rotated secret. Null: the current secret.
  expires_at TIMESTAMPTZ(3)
);
CREATE INDEX webhook_secrets_endpoint_id_idx ON webhook_secrets (endpoint_id);
CREATE UNIQUE INDEX webhook_secrets_present_key ON webhook_secrets (endpoint_id) WHERE expires_at IS NULL;

-- Written by attempts. A separate table, so that attempts do not lock the endpoint's row, which people change.
CREATE TABLE webhook_endpoint_health (
  endpoint_id UUID PRIMARY KEY REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  last_success_at TIMESTAMPTZ(3),
  last_failure_at TIMESTAMPTZ(3),
  -- Until then the endpoint's deliveries use the slow lane, because an attempt timed out.
  slow_until TIMESTAMPTZ(6),
  -- No unfinished delivery of the endpoint is due earlier, so the relay does not search before it.
  due_from TIMESTAMPTZ(6)
);

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
  trace_parent TEXT
) PARTITION BY RANGE (id);

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
  CONSTRAINT deliveries_dead_check CHECK (dead = (outcome IS NOT DISTINCT FROM 'dead'))
) PARTITION BY RANGE (id);
CREATE INDEX deliveries_tenant_id_id_idx ON deliveries (tenant_id, id DESC);
CREATE INDEX deliveries_endpoint_id_id_idx ON deliveries (endpoint_id, id DESC);
CREATE INDEX deliveries_tenant_id_event_type_id_idx ON deliveries (tenant_id, event_type, id DESC);
CREATE INDEX deliveries_event_ref_idx ON deliveries (event_ref);
-- Few deliveries are dead, but lists and recoveries search for them among all.
CREATE INDEX deliveries_tenant_dead_idx ON deliveries (tenant_id, id DESC) WHERE dead;
CREATE INDEX deliveries_endpoint_dead_idx ON deliveries (endpoint_id, id DESC) WHERE dead;

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
  lease_id UUID
) WITH (
  -- Rows are short-lived and updated several times: vacuum early, and leave room in each page for new versions.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05,
  fillfactor = 50
);
CREATE INDEX pending_deliveries_endpoint_id_due_at_delivery_id_idx
  ON pending_deliveries (endpoint_id, due_at, delivery_id);
-- Lists of unfinished deliveries by status: first attempts (0) and retries (1) of an endpoint, newest first. The key
-- is the bytes of the id. With the id itself, the planner may scan the primary key instead and read the deliveries of
-- all endpoints.
CREATE INDEX pending_deliveries_list_idx
  ON pending_deliveries (endpoint_id, (least(attempts_made, 1)), (uuid_send(delivery_id)) DESC);

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
CREATE INDEX endpoint_wakeups_slow_at_idx ON endpoint_wakeups (slow, at);
CREATE INDEX endpoint_wakeups_is_full_at_idx ON endpoint_wakeups (is_full, at);

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

-- The hash chain over the audit events of an organization, in the order of sealing.
CREATE TABLE audit_seals (
  tenant_id UUID NOT NULL,
  sequence BIGINT NOT NULL,
  audit_event_id UUID NOT NULL,
  hash BYTEA NOT NULL,
  sealed_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  -- 1: a plain SHA-256. 2: an HMAC with the audit key.
  version SMALLINT NOT NULL DEFAULT 1,
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
  -- How many seals at the start of the organization's chain have version 1. The keyed hash covers it.
  unkeyed BIGINT NOT NULL,
  link BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX audit_chain_tenant_id_sequence_idx ON audit_chain (tenant_id, sequence DESC);

-- The heads of chains that were sealed before audit_chain existed. Only read.
CREATE TABLE audit_heads (
  tenant_id UUID PRIMARY KEY,
  count BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  signature BYTEA NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp()
);

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
  -- The address group: an IPv4 address or an IPv6 /64.
  ip TEXT NOT NULL,
  route TEXT NOT NULL,
  -- The audit event of the first refusal.
  first_id UUID NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  repeated INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (key_id, reason, ip, route)
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
