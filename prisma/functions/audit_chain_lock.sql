-- The key of an organization's chain lock. Whoever extends the chain holds the lock until the end of the transaction.
CREATE OR REPLACE FUNCTION audit_chain_lock(tenant uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('audit_chain ' || tenant::text, 0)
$$;
