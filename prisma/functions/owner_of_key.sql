-- The person who owns a key. Null: an organization's key.
CREATE OR REPLACE FUNCTION owner_of_key(key api_keys) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE key.kind WHEN 'personal' THEN key.user_id END
$$;
