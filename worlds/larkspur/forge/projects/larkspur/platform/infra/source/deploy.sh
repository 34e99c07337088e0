#!/bin/sh
# Usage: deploy.sh HOST
set -eu
release=$(sed -n 's/^release: //p' "hosts/$1.yml")
echo "would copy trellis $release to $1 and restart it"
