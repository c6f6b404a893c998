-- The parts of the statements that publish which put the deliveries of `matched` into the queue and wake the relay.
--
-- Takes: the part `matched`, and which deliveries may be held for jobs (:holdMs, :perTenantMax).
-- Gives: the part `made`, a row per delivery.
-- Locks: nothing that exists.

  SELECT *, may_be_held AND :deliveryTurn <= :perTenantMax AS held
  FROM matched ORDER BY delivery_id
), pending AS (
  INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
  SELECT delivery_id, tenant_id, endpoint_id, event_ref, now(),
    CASE WHEN held THEN now() + :holdMs * interval '1 ms' ELSE 'epoch' END
  FROM made
), waking AS (
  -- What waits for its job, or for its endpoint to be enabled, is looked at when the hold ends, in case either is missed.
  SELECT endpoint_id, tenant_id, slow, CASE WHEN held OR NOT enabled
    THEN now() + coalesce(:holdMs, :passedOverMs) * interval '1 ms' ELSE now() END AS at
  FROM made
), woken AS (:wakeEndpoints
