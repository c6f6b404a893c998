#!/bin/sh
# What the entrypoint of the image `postgres` does with its arguments, on a port and with a socket of its own.
set -eu
set -- "$@" -c port="$PGPORT" -c unix_socket_directories="$PGHOST" -c listen_addresses=127.0.0.1
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  [ -n "${POSTGRES_PASSWORD:-}" ] || { echo 'superuser password is not specified' >&2; exit 1; }
  echo "$POSTGRES_PASSWORD" > "$PGHOST/password"
  initdb --pgdata="$PGDATA" --username=postgres --pwfile="$PGHOST/password" --auth=scram-sha-256 --encoding=UTF8 --no-instructions
  "$@" &
  server=$!
  until pg_isready --quiet; do sleep 0.1; done
  psql --username=postgres --command="CREATE DATABASE $POSTGRES_DB"
  sh "$ROLES"
  kill -INT "$server"
  wait "$server"
fi
exec "$@"
