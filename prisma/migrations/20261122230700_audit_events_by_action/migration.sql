-- For the filter by action, and for the list of an organization's actions.
CREATE INDEX CONCURRENTLY audit_events_tenant_id_action_id_idx ON audit_events (tenant_id, action, id DESC);
