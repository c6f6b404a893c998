-- What the triggers of the notices would have added for existing keys and people. A migration of its own, because it
-- reads large tables, and creating the triggers locks them.

-- Keys that expired or were revoked before are left out.
INSERT INTO key_expiry_notices (key_id, days, due_at)
SELECT id, days, expires_at - days * interval '24 hours'
FROM (
  SELECT id, expires_at, CASE
    WHEN expires_at - created_at >= interval '168 hours' AND expires_at - interval '24 hours' > now() THEN 7
    WHEN expires_at - created_at >= interval '24 hours' THEN 1
  END AS days
  FROM api_keys WHERE expires_at > now() AND revoked_at IS NULL
) k
WHERE days IS NOT NULL
ON CONFLICT DO NOTHING;

-- The people who have signed in before, by the audit log.
INSERT INTO first_sign_ins (user_id, session_id)
SELECT u.id, e.target_id::uuid
FROM (
  SELECT DISTINCT ON (actor_id) actor_id, target_id FROM audit_events
  WHERE action = 'session.create' AND outcome = 'success' ORDER BY actor_id, id
) e
JOIN users u ON u.id::text = e.actor_id
ON CONFLICT DO NOTHING;
