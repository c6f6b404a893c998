-- An organization's admins.
CREATE OR REPLACE FUNCTION admins_of(tenant uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(id), '{}') FROM users
  WHERE tenant_id = tenant AND kind = 'human' AND 'admin' = ANY (roles)
$$;
