-- Writes the notices of organizations that require a second factor soon to people who have none, at most `people_max`.
-- If a policy is saved after the time of a notice, the notice is written then. Returns the number of people. Any process
-- may call it at any time.
CREATE OR REPLACE FUNCTION write_second_factor_notices(people_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  due record;
  recipients uuid[];
  count integer := 0;
BEGIN
  FOR due IN
    SELECT p.tenant_id, t.name, p.second_factor_from, d.days,
      concat_ws(' ', p.tenant_id, d.days, extract(epoch FROM p.second_factor_from)) AS occurrence
    FROM security_policies p JOIN tenants t ON t.id = p.tenant_id, LATERAL (
      SELECT min(n) AS days FROM unnest(:secondFactorNoticeDays) n
      WHERE p.second_factor_from <= now() + n * interval '24 hours'
    ) d
    WHERE p.second_factor_required AND p.second_factor_from > now() AND d.days IS NOT NULL AND t.deleted_at IS NULL
    ORDER BY p.second_factor_from, p.tenant_id
  LOOP
    recipients := ARRAY(
      SELECT u.id FROM users u
      WHERE u.tenant_id = due.tenant_id AND u.kind = 'human' AND u.status = 'active' AND u.deleted_at IS NULL
        AND NOT has_second_factor(u.id)
        AND NOT EXISTS (SELECT FROM notices n WHERE n.user_id = u.id AND n.type = 'second_factor.required'
          AND n.occurrence = due.occurrence)
      ORDER BY u.id LIMIT people_max - count);
    PERFORM write_notice(recipients, notice_of('second_factor.required', due.occurrence, 'tenant',
      due.tenant_id::text, due.name,
      jsonb_build_object('days', due.days, 'from', utc_text(due.second_factor_from))));
    count := count + cardinality(recipients);
    EXIT WHEN count >= people_max;
  END LOOP;
  RETURN count;
END
$$;
