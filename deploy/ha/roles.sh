#!/bin/sh
# Creates the roles of HAProxy's check and of the standby. The image runs it when it creates the database; on an existing
# server it is run by hand.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$PGPASSWORD" --username=postgres <<'SQL'
CREATE ROLE hosting_check LOGIN CONNECTION LIMIT 10;
CREATE ROLE hosting_replication LOGIN REPLICATION PASSWORD :'password';
SQL
