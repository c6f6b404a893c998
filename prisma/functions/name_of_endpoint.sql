-- The name of an endpoint in notices: the description or the host. The rest of a URL may be secret.
CREATE OR REPLACE FUNCTION name_of_endpoint(e webhook_endpoints) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(coalesce(nullif(btrim(regexp_replace(e.description, '\s+', ' ', 'g')), ''),
    substring(e.url FROM '^[a-zA-Z]+://(?:[^/?#]*@)?([^/?#]+)'), e.id::text), :noticeSubjectNameLengthMax)
$$;
