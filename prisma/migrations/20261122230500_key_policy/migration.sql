-- The key policy of an organization, and the outcomes of a key's requests.

-- A row is created when the policy is first read under a lock: key changes lock the row, so that a new policy applies
-- to every key that is committed after it (docs/decisions/0059). Without a row the columns' defaults apply.
CREATE TABLE key_policies (
  tenant_id UUID PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Null: keys need not expire.
  max_lifetime_days INTEGER,
  ip_allowlist_required BOOLEAN NOT NULL DEFAULT false,
  personal_keys_allowed BOOLEAN NOT NULL DEFAULT true,
  CONSTRAINT key_policies_max_lifetime_days_check CHECK (max_lifetime_days BETWEEN 1 AND 3650)
);

-- A constant default changes no row, and a process of the release before can still add its counts.
ALTER TABLE api_key_usage
  ADD COLUMN refused BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN rate_limited BIGINT NOT NULL DEFAULT 0;
