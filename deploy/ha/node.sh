#!/bin/sh
# One of the two PostgreSQL servers. NODE is its name, PRIMARY how it connects to the primary, as in primary_conninfo.
#
#   node.sh start    starts it: as a standby if its data contain standby.signal, otherwise as the primary.
#   node.sh copy     replaces its data with a copy of the primary's, whose standby it then is.
#   node.sh follow   makes a former primary, which was shut down before the other was promoted, its standby.
#   node.sh fence    keeps a former primary, which is not running, from ever starting as a primary again.
set -eu
folder=$(dirname "$0")

wait_for_primary() {
  for _ in $(seq 60); do
    if psql "$PRIMARY replication=true" --command=IDENTIFY_SYSTEM > /dev/null 2>&1; then return; fi
    sleep 0.5
  done
  echo "no primary responds at $PRIMARY" >&2
  exit 1
}

# The slot keeps the WAL that this standby has not received. One of its former life may be left.
drop_slot() {
  psql "$PRIMARY replication=true" --command="DROP_REPLICATION_SLOT $NODE" > /dev/null 2>&1 || true
}

case "$1" in
  start)
    exec docker-entrypoint.sh postgres -c "config_file=$folder/postgresql.conf" -c "hba_file=$folder/pg_hba.conf" \
      -c "cluster_name=$NODE" -c "primary_slot_name=$NODE" -c "primary_conninfo=$PRIMARY"
    ;;
  copy)
    wait_for_primary
    drop_slot
    rm -rf "$PGDATA.new"
    pg_basebackup --dbname="$PRIMARY" --pgdata="$PGDATA.new" --create-slot --slot="$NODE" --checkpoint=fast
    touch "$PGDATA.new/standby.signal"
    rm -rf "$PGDATA"
    mv "$PGDATA.new" "$PGDATA"
    ;;
  follow)
    wait_for_primary
    drop_slot
    psql "$PRIMARY replication=true" --quiet --command="CREATE_REPLICATION_SLOT $NODE PHYSICAL RESERVE_WAL"
    touch "$PGDATA/standby.signal"
    ;;
  fence)
    touch "$PGDATA/standby.signal"
    ;;
  *)
    echo "node.sh: start, copy, follow or fence, not $1" >&2
    exit 2
    ;;
esac
