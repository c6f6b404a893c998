-- AlterTable
ALTER TABLE "idempotency_records" ADD COLUMN     "run_id" UUID;

-- CreateTable
CREATE TABLE "audit_unsealed" (
    "audit_event_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,

    CONSTRAINT "audit_unsealed_pkey" PRIMARY KEY ("audit_event_id")
);

-- CreateTable
CREATE TABLE "refusal_windows" (
    "key_id" CHAR(12) NOT NULL,
    "reason" TEXT NOT NULL,
    "ip" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "first_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "repeated" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "refusal_windows_pkey" PRIMARY KEY ("key_id","reason","ip","route")
);

-- CreateTable
CREATE TABLE "gate_invalidations" (
    "key_id" CHAR(12) NOT NULL,
    "version" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "gate_invalidations_pkey" PRIMARY KEY ("key_id")
);

-- CreateIndex
CREATE INDEX "audit_unsealed_tenant_id_audit_event_id_idx" ON "audit_unsealed"("tenant_id", "audit_event_id");

-- CreateIndex
CREATE INDEX "refusal_windows_started_at_idx" ON "refusal_windows"("started_at");

-- CreateIndex
CREATE INDEX "audit_events_actor_key_id_id_idx" ON "audit_events"("actor_key_id", "id" DESC);

-- CreateIndex
CREATE INDEX "audit_events_target_id_id_idx" ON "audit_events"("target_id", "id" DESC);



-- Every audit event waits to be sealed.
CREATE FUNCTION await_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_unsealed (audit_event_id, tenant_id) VALUES (NEW.id, NEW.tenant_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER audit_events_await_seal AFTER INSERT ON audit_events
  FOR EACH ROW EXECUTE FUNCTION await_seal();

-- Ends a minute of refusals: its repeats, if there were any, become one row like the first.
CREATE FUNCTION close_refusal_window(w refusal_windows) RETURNS void LANGUAGE sql AS $$
  INSERT INTO audit_events (id, tenant_id, occurred_at, action, outcome, reason, actor_type, actor_id,
    actor_name, actor_key_id, target_type, target_id, ip, request_id, details)
  SELECT uuid_v7(), tenant_id, now(), action, outcome, reason, actor_type, actor_id,
    actor_name, actor_key_id, target_type, target_id, ip, NULL,
    details || jsonb_build_object('repeated', w.repeated)
  FROM audit_events WHERE id = w.first_id AND w.repeated > 0
$$;

-- Records refusals of a key, key, address and route: the first as a row of its own, repeats by number.
-- Gives whether this one was the first of its minute; then the row was written.
CREATE FUNCTION record_refusal(event audit_events, route_name text, times integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  w refusal_windows;
BEGIN
  INSERT INTO refusal_windows (key_id, reason, ip, route, first_id, started_at)
  VALUES (event.target_id, event.reason, event.ip, route_name, event.id, now())
  ON CONFLICT (key_id, reason, ip, route) DO UPDATE SET key_id = EXCLUDED.key_id
  RETURNING * INTO w;
  IF w.first_id <> event.id AND w.started_at > now() - interval '1 minute' THEN
    UPDATE refusal_windows SET repeated = repeated + times
    WHERE key_id = w.key_id AND reason = w.reason AND ip = w.ip AND route = w.route;
    RETURN false;
  END IF;
  IF w.first_id <> event.id THEN
    PERFORM close_refusal_window(w);
    UPDATE refusal_windows SET first_id = event.id, started_at = now(), repeated = 0
    WHERE key_id = w.key_id AND reason = w.reason AND ip = w.ip AND route = w.route;
  END IF;
  INSERT INTO audit_events SELECT event.*;
  UPDATE refusal_windows SET repeated = times - 1
  WHERE key_id = w.key_id AND reason = w.reason AND ip = w.ip AND route = w.route;
  RETURN true;
END
$$;
