-- Only finished deliveries are left.
ALTER TABLE deliveries ALTER COLUMN outcome SET NOT NULL, ALTER COLUMN completed_at SET NOT NULL;
