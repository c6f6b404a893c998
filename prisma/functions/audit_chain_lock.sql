-- The key of an organization's chain lock. A transaction that extends the chain holds the lock until its end.
CREATE OR REPLACE FUNCTION audit_chain_lock(tenant uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('audit_chain ' || tenant::text, 0)
$$;
