-- Notices to people, in the panel and by mail. Triggers and functions write them in the transactions that cause them, so
-- processes of the previous release write them too.

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
  -- The place in the internal feed. It is assigned after the commit, so no later notice has an earlier place.
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
  due_at TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
  tries INTEGER NOT NULL DEFAULT 0,
  lease_id UUID,
  ended_at TIMESTAMPTZ(3),
  outcome TEXT
);
CREATE INDEX notice_mails_due_idx ON notice_mails (due_at) WHERE ended_at IS NULL;

-- Which notices a person wants by mail. Without a row: all.
CREATE TABLE notification_settings (
  user_id UUID PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  email_webhooks BOOLEAN NOT NULL DEFAULT true,
  email_api_keys BOOLEAN NOT NULL DEFAULT true,
  email_security BOOLEAN NOT NULL DEFAULT true
);

-- ── Writing ──

-- What a person can switch off mail for.
CREATE FUNCTION notice_category(notice_type text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE split_part(notice_type, '.', 1)
    WHEN 'webhook' THEN 'webhooks' WHEN 'api_key' THEN 'api_keys' ELSE 'security'
  END
$$;

-- Whether a person wants mail for notices of a type.
CREATE FUNCTION wants_notice_mail(person uuid, notice_type text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT CASE notice_category(notice_type)
      WHEN 'webhooks' THEN email_webhooks
      WHEN 'api_keys' THEN email_api_keys
      ELSE email_security
    END
    FROM notification_settings WHERE user_id = person
  ), true)
$$;

-- Writes a notice of an occurrence to each of the people who may sign in, with its mail. A person who has it already
-- gets no other one. `notice` has the members of a row of `notices`, without those that are filled in here.
CREATE FUNCTION write_notice(recipients uuid[], notice notices) RETURNS void LANGUAGE sql AS $$
  WITH written AS (
    INSERT INTO notices (id, tenant_id, user_id, type, occurrence, subject_type, subject_id, subject_name, details)
    SELECT uuid_v7(), u.tenant_id, u.id, notice.type, notice.occurrence, notice.subject_type, notice.subject_id,
      notice.subject_name, coalesce(notice.details, '{}')
    FROM users u JOIN tenants t ON t.id = u.tenant_id
    WHERE u.id = ANY (recipients) AND u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL
      AND t.deleted_at IS NULL
    -- Concurrent writers of an occurrence wait for each other in one order.
    ORDER BY u.id
    ON CONFLICT (user_id, type, occurrence) DO NOTHING
    RETURNING id, user_id, type
  )
  INSERT INTO notice_mails (notice_id)
  SELECT w.id FROM written w JOIN users u ON u.id = w.user_id
  WHERE u.email IS NOT NULL AND wants_notice_mail(w.user_id, w.type)
$$;

CREATE FUNCTION notice_of(type text, occurrence text, subject_type text, subject_id text, subject_name text,
  details jsonb) RETURNS notices LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_populate_record(NULL::notices, jsonb_build_object('type', type, 'occurrence', occurrence,
    'subject_type', subject_type, 'subject_id', subject_id, 'subject_name', subject_name, 'details', details))
$$;

CREATE FUNCTION admins_of(tenant uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(id), '{}') FROM users
  WHERE tenant_id = tenant AND kind = 'human' AND 'admin' = ANY (roles)
$$;

-- ── Keys ──

-- The owner of a personal key, or the admins for an organization key.
CREATE FUNCTION people_of_key(key api_keys) RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT CASE key.kind WHEN 'personal' THEN ARRAY[key.user_id] ELSE admins_of(key.tenant_id) END
$$;

CREATE FUNCTION notify_of_new_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_notice(people_of_key(NEW), notice_of('api_key.created', NEW.id, 'api_key', NEW.id, NEW.name,
    jsonb_build_object('kind', NEW.kind, 'source', NEW.source,
      'created_by', (SELECT name FROM users WHERE id = NEW.created_by_id))));
  RETURN NULL;
END
$$;

CREATE TRIGGER api_keys_notify AFTER INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION notify_of_new_key();

-- The next expiry notice of each key that has one: `days` before the key expires.
CREATE TABLE key_expiry_notices (
  key_id CHAR(12) PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  days SMALLINT NOT NULL,
  due_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX key_expiry_notices_due_at_idx ON key_expiry_notices (due_at);

-- A key gets the notices of 7 days and 1 day that its life is long enough for.
CREATE FUNCTION plan_expiry_notice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  life interval := NEW.expires_at - NEW.created_at;
  days integer := CASE WHEN life >= interval '168 hours' THEN 7 WHEN life >= interval '24 hours' THEN 1 END;
BEGIN
  DELETE FROM key_expiry_notices WHERE key_id = NEW.id;
  IF days IS NOT NULL THEN
    INSERT INTO key_expiry_notices (key_id, days, due_at)
    VALUES (NEW.id, days, NEW.expires_at - days * interval '24 hours');
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER api_keys_plan_expiry_notice AFTER INSERT OR UPDATE OF expires_at ON api_keys
  FOR EACH ROW EXECUTE FUNCTION plan_expiry_notice();

-- Writes the expiry notices that are due, at most `keys_max`, and plans the next ones. A notice whose time has passed is
-- skipped: the one of 7 days on the last day, and both once the key has ended. Returns the number of keys. Any process
-- may call it at any time.
CREATE FUNCTION write_expiry_notices(keys_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  due key_expiry_notices;
  key api_keys;
  count integer := 0;
BEGIN
  FOR due IN
    SELECT * FROM key_expiry_notices WHERE due_at <= now() ORDER BY due_at LIMIT keys_max FOR UPDATE SKIP LOCKED
  LOOP
    SELECT * INTO key FROM api_keys WHERE id = due.key_id;
    IF key.revoked_at IS NULL AND now() < key.expires_at
      AND (due.days = 1 OR now() < key.expires_at - interval '24 hours')
    THEN
      PERFORM write_notice(people_of_key(key),
        notice_of('api_key.expiring', concat_ws(' ', key.id, due.days, extract(epoch FROM key.expires_at)),
          'api_key', key.id, key.name,
          jsonb_build_object('kind', key.kind, 'days', due.days, 'expires_at',
            to_char(key.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))));
    END IF;
    IF due.days = 1 OR key.revoked_at IS NOT NULL OR now() >= key.expires_at THEN
      DELETE FROM key_expiry_notices WHERE key_id = due.key_id;
    ELSE
      UPDATE key_expiry_notices SET days = 1, due_at = key.expires_at - interval '24 hours' WHERE key_id = due.key_id;
    END IF;
    count := count + 1;
  END LOOP;
  RETURN count;
END
$$;

-- ── Sign-ins ──

-- The first session of each person, which is never on a new device.
CREATE TABLE first_sign_ins (
  user_id UUID PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  session_id UUID NOT NULL
);

CREATE FUNCTION note_first_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO first_sign_ins (user_id, session_id) VALUES (NEW.user_id, NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER panel_sessions_note_first AFTER INSERT ON panel_sessions
  FOR EACH ROW EXECUTE FUNCTION note_first_sign_in();
