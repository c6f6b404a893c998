-- What a person can switch off mail for.
CREATE OR REPLACE FUNCTION notice_category(notice_type text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT :noticeCategoryByType ->> notice_type
$$;
