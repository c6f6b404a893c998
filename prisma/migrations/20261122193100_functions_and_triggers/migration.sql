-- Functions and triggers, grouped as the tables are.

-- ── Time and ids ──

-- Sessions use UTC. A connection of the service sets it at start-up, which a pooler such as PgBouncer in transaction
-- mode ignores; so it is also a setting of the database.
DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I SET timezone TO %L', current_database(), 'UTC');
EXCEPTION WHEN insufficient_privilege THEN
  RAISE WARNING 'Only the owner of the database may set its time zone. Behind a pooler it must be UTC.';
END
$$;

-- A UUIDv7 from the database's clock: 48 bits of Unix time in ms, 12 bits of the fraction of that millisecond (RFC
-- 9562, section 6.2, method 3) and 62 random bits. Ids sort in the order of creation, also within a millisecond.
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT (
    overlay(
      lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 4096000)::bigint), 15, '0')
      PLACING '7' FROM 13 FOR 0)
    || right(gen_random_uuid()::text, 17)
  )::uuid
$$;

-- The smallest UUIDv7 of a time: the bounds of the partitions.
CREATE FUNCTION uuid_v7_floor(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (encode(substring(int8send(floor(extract(epoch FROM moment) * 1000)::bigint) FROM 3), 'hex')
    || repeat('0', 20))::uuid
$$;

-- ── Partitions ──

-- Creates the missing day partitions from yesterday to the given number of days ahead, and returns how many it
-- created. Any process may call it at any time. ATTACH PARTITION, unlike CREATE TABLE ... PARTITION OF, blocks
-- neither reads nor writes.
CREATE FUNCTION make_partitions(days_ahead integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  day timestamptz;
  part text;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('make_partitions'));
  FOREACH parent IN ARRAY ARRAY['events', 'deliveries', 'delivery_attempts'] LOOP
    FOR offset_days IN -1..days_ahead LOOP
      day := date_trunc('day', now(), 'UTC') + make_interval(days => offset_days);
      part := parent || '_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD');
      IF to_regclass(part) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
        IF parent = 'deliveries' THEN
          EXECUTE format('ALTER TABLE %I SET (fillfactor = 50)', part);
        END IF;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
          parent, part, uuid_v7_floor(day), uuid_v7_floor(day + interval '24 hours'));
        made := made + 1;
      END IF;
    END LOOP;
  END LOOP;
  RETURN made;
END
$$;

-- ── Changes that end a caller's access ──

-- Announces to every process, at commit, that sessions may have ended or permissions may have changed. The payload is
-- the id of the user or organization.
CREATE FUNCTION announce_caller_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('caller_changed', to_jsonb(NEW)->>TG_ARGV[0]);
  RETURN NULL;
END
$$;

CREATE TRIGGER panel_sessions_announce AFTER UPDATE OF revoked_at, secret_hash ON panel_sessions
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.secret_hash <> NEW.secret_hash)
  EXECUTE FUNCTION announce_caller_change('user_id');

CREATE TRIGGER users_announce AFTER UPDATE OF status, roles, deleted_at ON users
  FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.roles IS DISTINCT FROM NEW.roles
    OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION announce_caller_change('id');

CREATE TRIGGER tenants_announce AFTER UPDATE OF deleted_at ON tenants
  FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION announce_caller_change('id');

-- ── Statistics of attempts ──

-- Rounds a duration in ms for the histogram: exact below 128, then to 7 significant bits, an error below 0.8%.
CREATE FUNCTION round_duration(ms integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN ms < 128 THEN ms
    WHEN ms < 256 THEN (ms + 1) / 2 * 2
    WHEN ms < 512 THEN (ms + 2) / 4 * 4
    WHEN ms < 1024 THEN (ms + 4) / 8 * 8
    WHEN ms < 2048 THEN (ms + 8) / 16 * 16
    WHEN ms < 4096 THEN (ms + 16) / 32 * 32
    WHEN ms < 8192 THEN (ms + 32) / 64 * 64
    WHEN ms < 16384 THEN (ms + 64) / 128 * 128
    WHEN ms < 32768 THEN (ms + 128) / 256 * 256
    ELSE (ms + 256) / 512 * 512
  END
$$;

-- Counts attempts in the transaction that records them, so the counts are exact even if a process is killed. Each
-- statement inserts its own rows, so no two statements wait for each other.
CREATE FUNCTION count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO attempt_stats (tenant_id, endpoint_id, start, succeeded, failed, durations)
  SELECT tenant_id, endpoint_id, date_bin('5 minutes', started_at, 'epoch'),
    count(*) FILTER (WHERE error_class IS NULL), count(*) FILTER (WHERE error_class IS NOT NULL),
    array_agg(duration_ms)
  FROM made GROUP BY 1, 2, 3;
  RETURN NULL;
END
$$;

CREATE TRIGGER delivery_attempts_count AFTER INSERT ON delivery_attempts
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION count_attempts();

-- ── Audit log: append-only and sealed ──

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are append-only', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON audit_events
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_events_not_truncated BEFORE TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Queues every audit event for sealing.
CREATE FUNCTION await_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_unsealed (audit_event_id, tenant_id) VALUES (NEW.id, NEW.tenant_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER audit_events_await_seal AFTER INSERT ON audit_events
  FOR EACH ROW EXECUTE FUNCTION await_seal();

-- The key of an organization's chain lock. Whoever extends the chain holds the lock until the end of the transaction.
CREATE FUNCTION audit_chain_lock(tenant uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('audit_chain ' || tenant::text, 0)
$$;

-- Refuses plain seals (version 1) for an organization that is in the installation-wide chain.
CREATE FUNCTION refuse_unkeyed_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(audit_chain_lock(NEW.tenant_id));
  IF EXISTS (SELECT 1 FROM audit_chain WHERE tenant_id = NEW.tenant_id) THEN
    RAISE EXCEPTION 'the chain of organization % takes keyed seals only', NEW.tenant_id;
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER audit_seals_keyed BEFORE INSERT ON audit_seals
  FOR EACH ROW WHEN (NEW.version = 1) EXECUTE FUNCTION refuse_unkeyed_seal();

-- ── Audit log: repeated refusals of a key ──
--
-- A key that is refused again and again adds a limited number of audit events. Per key, reason, address group and
-- route, the first refusal of a minute is an event of its own and the repeats are one event (refusal_windows). Per
-- key and reason, a minute has at most 20 of these events; the refusals over this limit are one event
-- (refusal_minutes).

-- Writes the event of a minute's refusals over the limit, if there are any, and deletes their address groups. Returns
-- whether it wrote one.
CREATE FUNCTION close_refusal_minute(m refusal_minutes) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  e audit_events := jsonb_populate_record(NULL::audit_events, m.sample);
  groups bigint;
BEGIN
  IF m.crowd = 0 THEN
    RETURN false;
  END IF;
  DELETE FROM refusal_crowds WHERE key_id = m.key_id AND reason = m.reason;
  GET DIAGNOSTICS groups = ROW_COUNT;
  INSERT INTO audit_events (id, tenant_id, occurred_at, action, outcome, reason, actor_type, actor_id,
    actor_name, actor_key_id, target_type, target_id, ip, request_id, details)
  VALUES (uuid_v7(), e.tenant_id, now(), e.action, e.outcome, e.reason, e.actor_type, e.actor_id,
    e.actor_name, e.actor_key_id, e.target_type, e.target_id, NULL, NULL,
    jsonb_build_object('repeated', m.crowd, 'addresses', groups));
  RETURN true;
END
$$;

-- Starts the minute of a key and reason if none is running, and locks it until the end of the transaction.
CREATE FUNCTION lock_refusal_minute(event audit_events) RETURNS refusal_minutes LANGUAGE plpgsql AS $$
DECLARE
  m refusal_minutes;
BEGIN
  INSERT INTO refusal_minutes (key_id, reason, started_at)
  VALUES (event.target_id, event.reason, now())
  ON CONFLICT (key_id, reason) DO UPDATE SET key_id = EXCLUDED.key_id
  RETURNING * INTO m;
  IF m.started_at <= now() - interval '1 minute' THEN
    UPDATE refusal_minutes SET started_at = now(), crowd = 0, sample = NULL,
      rows = close_refusal_minute(m)::integer
    WHERE key_id = m.key_id AND reason = m.reason RETURNING * INTO m;
  END IF;
  RETURN m;
END
$$;

-- Takes one of the minute's 20 events; returns whether one was left.
CREATE FUNCTION take_refusal_row(event audit_events) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  m refusal_minutes := lock_refusal_minute(event);
BEGIN
  UPDATE refusal_minutes SET rows = rows + 1
  WHERE key_id = m.key_id AND reason = m.reason AND rows < 20;
  RETURN FOUND;
END
$$;

-- Counts refusals over the limit.
CREATE FUNCTION record_refusal_crowd(event audit_events, address_groups text[], times bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  m refusal_minutes := lock_refusal_minute(event);
BEGIN
  UPDATE refusal_minutes SET crowd = crowd + times, sample = coalesce(sample, to_jsonb(event))
  WHERE key_id = m.key_id AND reason = m.reason;
  INSERT INTO refusal_crowds (key_id, reason, address_group)
  SELECT m.key_id, m.reason, address_group FROM unnest(address_groups) AS a (address_group)
  ON CONFLICT DO NOTHING;
END
$$;

-- Ends the minute of a refusal: its repeats, if there are any, become one event like the first.
CREATE FUNCTION close_refusal_window(w refusal_windows) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  e audit_events;
BEGIN
  IF w.repeated = 0 THEN
    RETURN;
  END IF;
  SELECT * INTO e FROM audit_events WHERE id = w.first_id;
  IF NOT take_refusal_row(e) THEN
    PERFORM record_refusal_crowd(e, ARRAY[w.ip], w.repeated);
    RETURN;
  END IF;
  e.details := e.details || jsonb_build_object('repeated', w.repeated);
  e.id := uuid_v7();
  e.occurred_at := now();
  e.request_id := NULL;
  INSERT INTO audit_events SELECT e.*;
END
$$;

-- Records refusals of a key. Returns whether an audit event was written.
CREATE FUNCTION record_refusal(event audit_events, route_name text, times integer, address_group text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  w refusal_windows;
BEGIN
  INSERT INTO refusal_windows (key_id, reason, ip, route, first_id, started_at)
  VALUES (event.target_id, event.reason, address_group, route_name, event.id, now())
  ON CONFLICT (key_id, reason, ip, route) DO UPDATE SET key_id = EXCLUDED.key_id
  RETURNING * INTO w;
  IF w.first_id <> event.id AND w.started_at > now() - interval '1 minute' THEN
    UPDATE refusal_windows SET repeated = repeated + times
    WHERE key_id = w.key_id AND reason = w.reason AND ip = w.ip AND route = w.route;
    RETURN false;
  END IF;
  IF w.first_id <> event.id THEN
    PERFORM close_refusal_window(w);
  END IF;
  IF NOT take_refusal_row(event) THEN
    DELETE FROM refusal_windows
    WHERE key_id = w.key_id AND reason = w.reason AND ip = w.ip AND route = w.route;
    PERFORM record_refusal_crowd(event, ARRAY[address_group], times);
    RETURN false;
  END IF;
  INSERT INTO audit_events SELECT event.*;
  UPDATE refusal_windows SET first_id = event.id, started_at = now(), repeated = times - 1
  WHERE key_id = w.key_id AND reason = w.reason AND ip = w.ip AND route = w.route;
  RETURN true;
END
$$;

-- The signature of earlier releases, where the address is its own group.
CREATE FUNCTION record_refusal(event audit_events, route_name text, times integer) RETURNS boolean
LANGUAGE sql AS $$
  SELECT record_refusal(event, route_name, times, event.ip)
$$;
