-- Writes a notice of an occurrence to each of the people who may sign in, with its mail. A person who has the notice
-- already gets no second one, and the person who did it in the panel (`doer`) gets none. `notice` has the members of a row of `notices`, without
-- those that are filled in here.
CREATE OR REPLACE FUNCTION write_notice(recipients uuid[], notice notices, doer uuid DEFAULT NULL) RETURNS void
LANGUAGE sql AS $$
  WITH written AS (
    INSERT INTO notices (id, tenant_id, user_id, type, occurrence, subject_type, subject_id, subject_name, details)
    SELECT uuid_v7(), u.tenant_id, u.id, notice.type, notice.occurrence, notice.subject_type, notice.subject_id,
      notice.subject_name, coalesce(notice.details, '{}')
    FROM users u JOIN tenants t ON t.id = u.tenant_id
    WHERE u.id = ANY (recipients) AND u.id IS DISTINCT FROM doer
      AND u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL AND t.deleted_at IS NULL
    -- Concurrent writers of an occurrence wait for each other in one order.
    ORDER BY u.id
    ON CONFLICT (user_id, type, occurrence) DO NOTHING
    RETURNING id, tenant_id, user_id, type
  ), mailed AS (
    SELECT w.id, w.tenant_id, w.user_id, notice_category(w.type) = 'security' AS is_security,
      row_number() OVER (PARTITION BY w.tenant_id ORDER BY w.id) AS rank
    FROM written w JOIN users u ON u.id = w.user_id
    WHERE u.email IS NOT NULL AND wants_notice_mail(w.user_id, w.type)
  )
  INSERT INTO notice_mails (notice_id, tenant_id, user_id, is_security, turn_at)
  SELECT id, tenant_id, user_id, is_security, (rank - 1) * :mailTurnSeconds * interval '1 second' + greatest(statement_timestamp(), (
    SELECT max(m.turn_at) + :mailTurnSeconds * interval '1 second' FROM notice_mails m
    WHERE m.tenant_id = mailed.tenant_id AND m.is_security = mailed.is_security AND m.ended_at IS NULL
  ))
  FROM mailed
$$;
