#!/bin/sh
# Usage: backup.sh HOST. Copies the host's data to /backup and keeps the last of them; prints the size.
set -eu
keep=7
host=$1
file="/backup/$host-$(date +%Y%m%d-%H%M).tar.gz"
ssh "$host" "tar -C /srv/trellis -cz data" >"$file"
du -h "$file"
ls -1t "/backup/$host-"*.tar.gz | tail -n +$((keep + 1)) | xargs -r rm --
