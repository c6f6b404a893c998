-- Needs a stop: processes of the releases before also store unfinished deliveries in the table of the finished ones.
--
-- An unfinished delivery is a row of the queue, and a finished one a row of deliveries. The constraint refuses what a process
-- of a release before stores, from now on. The migration 20261129144200_finished_deliveries converts what is stored.
ALTER TABLE pending_deliveries ADD COLUMN redelivery_of UUID;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_finished_check
  CHECK (outcome IS NOT NULL AND completed_at IS NOT NULL) NOT VALID;

-- Finished deliveries with the columns of all.
CREATE VIEW finished_deliveries AS
SELECT id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, object_id, account_id, event_name,
  redelivery_of, outcome, dead, attempt_count, completed_at, last_attempt_id, last_started_at, last_duration_ms,
  last_status_code, last_error_class, NULL::timestamptz(6) AS due_at, NULL::timestamptz(6) AS held_until,
  NULL::uuid AS lease_id
FROM deliveries;

-- Unfinished deliveries with the columns of all. An event is kept as long as its deliveries; the join is an outer one so that
-- a delivery does not disappear from lists if its event was lost. LIMIT leaves the planner no other way than to look up the
-- event of each delivery.
CREATE VIEW unfinished_deliveries AS
SELECT p.delivery_id AS id, p.tenant_id, p.endpoint_id, p.event_ref, coalesce(e.event_id, p.event_ref) AS event_id,
  coalesce(e.type, 'event.missing') AS event_type,
  coalesce(e.created_at, p.due_at) AS event_created_at, e.object_id, e.account_id, e.name AS event_name,
  p.redelivery_of, NULL::delivery_outcome AS outcome, false AS dead, p.attempts_made AS attempt_count,
  NULL::timestamptz AS completed_at, NULL::uuid AS last_attempt_id, NULL::timestamptz AS last_started_at,
  NULL::integer AS last_duration_ms, p.last_status_code, p.last_error_class, p.due_at, p.held_until, p.lease_id
FROM pending_deliveries p
LEFT JOIN LATERAL (
  SELECT event_id, type, created_at, object_id, account_id, name FROM events WHERE id = p.event_ref LIMIT 1
) e ON true;

-- Each delivery, in whichever of the tables it is. The last three columns are those of the queue.
CREATE VIEW all_deliveries AS
SELECT * FROM finished_deliveries UNION ALL SELECT * FROM unfinished_deliveries;

-- Each delivery without what it shows of its event.
CREATE VIEW delivery_states AS
SELECT id, tenant_id, endpoint_id, event_ref, redelivery_of, outcome, attempt_count, held_until, lease_id
FROM finished_deliveries
UNION ALL
SELECT delivery_id, tenant_id, endpoint_id, event_ref, redelivery_of, NULL::delivery_outcome, attempts_made, held_until,
  lease_id
FROM pending_deliveries;

-- They wrote to the row that an unfinished delivery had.
DROP FUNCTION IF EXISTS end_deliveries;
DROP FUNCTION IF EXISTS insert_attempts;
DROP FUNCTION IF EXISTS record_attempts;
