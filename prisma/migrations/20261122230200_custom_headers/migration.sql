-- Whether the attempts of an endpoint also carry the headers of Standard Webhooks.
ALTER TABLE webhook_endpoints ADD COLUMN standard_webhooks boolean NOT NULL DEFAULT false;

-- Whether the secret is `whsec_` and 32 bytes in standard base64. Earlier versions created base64url, and may still run
-- during an upgrade, so they must get the default.
ALTER TABLE webhook_secrets ADD COLUMN standard_form boolean NOT NULL DEFAULT false;

-- The custom headers of an endpoint: names to values, as JSON sealed by the secrets store. A change replaces the row, so
-- the headers of an id never change.
CREATE TABLE webhook_headers (
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  names text[],
  sealed text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT webhook_headers_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_headers_endpoint_id_fkey FOREIGN KEY (endpoint_id)
    REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX webhook_headers_endpoint_id_key ON webhook_headers (endpoint_id);
