-- Times are read in UTC. A connection says so itself, but not where a pooler such as PgBouncer in
-- transaction mode hands out its own: so the database says it too.
DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I SET timezone TO %L', current_database(), 'UTC');
EXCEPTION WHEN insufficient_privilege THEN
  RAISE WARNING 'Only the owner of the database may set its time zone. Behind a pooler it must be UTC.';
END
$$;
