#!/bin/sh
# Usage: health.sh HOST…  Asks each host whether it is well; exit code 1 when one is not.
set -u
bad=0
for host in "$@"; do
    if curl -fsS --max-time 5 "https://$host.larkspur.test/health" >/dev/null; then
        echo "$host: well"
    else
        echo "$host: no answer"
        bad=1
    fi
done
exit $bad
