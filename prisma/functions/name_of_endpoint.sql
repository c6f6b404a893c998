-- The name of an endpoint in notices: the description or the address (packages/core/src/webhooks/endpoint.ts).
CREATE OR REPLACE FUNCTION name_of_endpoint(e webhook_endpoints) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(coalesce(nullif(btrim(regexp_replace(e.description, '\s+', ' ', 'g')), ''),
    substring(e.url FROM :endpointAddressPattern), e.id::text), :noticeSubjectNameLengthMax)
$$;
