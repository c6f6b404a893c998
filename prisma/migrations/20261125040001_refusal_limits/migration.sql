-- How many rows the refusals of a key for one reason have taken in a minute, and what no longer fits.
CREATE TABLE "refusal_minutes" (
    "key_id" CHAR(12) NOT NULL,
    "reason" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "rows" INTEGER NOT NULL DEFAULT 0,
    -- Refusals past the limit of rows, and the first of them.
    "crowd" BIGINT NOT NULL DEFAULT 0,
    "sample" JSONB,

    CONSTRAINT "refusal_minutes_pkey" PRIMARY KEY ("key_id","reason")
);

CREATE INDEX "refusal_minutes_started_at_idx" ON "refusal_minutes"("started_at");

-- The address groups of refusals past the limit of rows.
CREATE TABLE "refusal_crowds" (
    "key_id" CHAR(12) NOT NULL,
    "reason" TEXT NOT NULL,
    "address_group" TEXT NOT NULL,

    CONSTRAINT "refusal_crowds_pkey" PRIMARY KEY ("key_id","reason","address_group")
);

-- Writes the row of a minute's refusals past the limit, if there are any, and forgets their address groups.
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

-- Begins the minute of a key and reason if none is running, and locks it until the end of the transaction.
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

-- Takes one of the 20 rows of the minute; gives whether there was one left.
CREATE FUNCTION take_refusal_row(event audit_events) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  m refusal_minutes := lock_refusal_minute(event);
BEGIN
  UPDATE refusal_minutes SET rows = rows + 1
  WHERE key_id = m.key_id AND reason = m.reason AND rows < 20;
  RETURN FOUND;
END
$$;

-- Counts refusals past the limit of rows.
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

-- Ends a minute of refusals from one address group: its repeats, if there were any, become one row like the first.
CREATE OR REPLACE FUNCTION close_refusal_window(w refusal_windows) RETURNS void LANGUAGE plpgsql AS $$
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

-- Records refusals of a key, reason, address group and route: the first of a minute as a row of its own, repeats by
-- number, and those past the limit of rows in the crowd. Gives whether a row was written.
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

-- For the release before, which gives the address itself.
CREATE OR REPLACE FUNCTION record_refusal(event audit_events, route_name text, times integer) RETURNS boolean
LANGUAGE sql AS $$
  SELECT record_refusal(event, route_name, times, event.ip)
$$;
