#!/bin/sh
# Usage: deploy.sh [--dry-run] HOST. Copies the release named in hosts/HOST.yml to the host and restarts it.
set -eu
run=""
if [ "${1:-}" = --dry-run ]; then run="echo would run:"; shift; fi
if [ $# -ne 1 ] || [ ! -f "hosts/$1.yml" ]; then
    echo "usage: deploy.sh [--dry-run] HOST, one of: $(ls hosts | sed 's/\.yml$//' | tr '\n' ' ')" >&2
    exit 2
fi
host=$1
fact() { sed -n "s/^$1: *//p" "hosts/$host.yml"; }
release=$(fact release) role=$(fact role)
$run scp "compose/$role.yml" "$host:/srv/trellis/compose.yml"
$run ssh "$host" "RELEASE=$release docker compose -f /srv/trellis/compose.yml up -d"
echo "$host: $release"
