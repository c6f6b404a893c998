-- For the filter by actor, and for the list of an organization's actors.
CREATE INDEX CONCURRENTLY audit_events_tenant_id_actor_id_id_idx ON audit_events (tenant_id, actor_id, id DESC);
