-- What a session lacks if its organization requires a second factor: `none` if its person has neither an active
-- authenticator app nor a passkey; `unconfirmed` if they have a passkey only, and no passkey or code has confirmed the
-- session; null if it lacks nothing. Sign-ins by an identity provider and by link are secured elsewhere.
CREATE OR REPLACE FUNCTION missing_second_factor(person uuid, method text, is_confirmed boolean) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN method NOT IN ('password', 'passkey') THEN NULL
    WHEN EXISTS (SELECT FROM totp_factors WHERE user_id = person AND activated_at IS NOT NULL) THEN NULL
    WHEN NOT EXISTS (SELECT FROM passkeys WHERE user_id = person) THEN 'none'
    WHEN method = 'passkey' OR is_confirmed THEN NULL
    ELSE 'unconfirmed'
  END
$$;
