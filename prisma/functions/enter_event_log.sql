-- Announces, until the end of the transaction, that it may take positions in the event log. Call it before nextval().
-- The lock's key is the last position that was taken so far: all positions of this transaction are higher. It is shared,
-- so publishers never wait for each other. event_log_horizon() reads these locks (apps/api/README.md#event-log).
CREATE OR REPLACE FUNCTION enter_event_log() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(event_log_class(),
    (coalesce(pg_sequence_last_value('event_positions'), 0) % 4294967296 - 2147483648)::integer);
END
$$;
