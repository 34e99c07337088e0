#!/bin/bash
# Sets a task up inside its container: waits for the services it declares, then runs the task's own scripts in order.
# Usage: bash /utils/init.sh, with SERVER_HOSTNAME and the accounts in the environment. Any failure ends it with non-zero.
set -u
host=${SERVER_HOSTNAME:-localhost}
control="http://$host:${DAYJOB_CONTROL_PORT:-2999}"
utils=$(cd "$(dirname "$0")" && pwd)

# What is sealed is there for as long as this runs; the key is for the seal alone.
if [ -f "$utils/sealed" ] && [ "${1:-}" != opened ]; then
    exec env PYTHONPATH="$utils" python_default -m dayjob.grading.seal bash "$utils/init.sh" opened
fi

ready() {
    python_default - "$control/api/healthcheck/$1" <<'PYTHON'
import sys, urllib.request
try:
    sys.exit(0 if urllib.request.urlopen(sys.argv[1], timeout=5).status == 200 else 1)
except OSError:
    sys.exit(1)
PYTHON
}

wait_for() {
    for _ in $(seq "${DAYJOB_INIT_TRIES:-60}"); do
        ready "$1" && return 0
        sleep "${DAYJOB_INIT_PAUSE:-1}"
    done
    echo "init: the service '$1' did not become ready at $control" >&2
    return 1
}

run() {
    for script in "$utils/$1.py" "$utils/$1.sh"; do
        [ -f "$script" ] || continue
        echo "init: $1"
        case $script in
            *.py) python_default "$script" ;;
            *.sh) bash "$script" ;;
        esac || { echo "init: $1 ended with $?" >&2; return 1; }
    done
}

for service in $(sed -n 's/^[[:space:]]*-[[:space:]]*\([A-Za-z]*\).*/\1/p' "$utils/dependencies.yml" 2>/dev/null); do
    wait_for "$service" || exit 1
done
run pre_init || exit 1
# Colleagues live in the chat service and are started there by whoever runs the trial.
run populate_data || exit 1
run post_init || exit 1
echo "init: done"
