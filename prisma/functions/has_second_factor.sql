-- Whether a person has an active authenticator app or a passkey.
CREATE OR REPLACE FUNCTION has_second_factor(person uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM totp_factors WHERE user_id = person AND activated_at IS NOT NULL)
    OR EXISTS (SELECT FROM passkeys WHERE user_id = person)
$$;
