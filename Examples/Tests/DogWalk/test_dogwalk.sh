#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plays a user's session on the program named by DOGWALK and compares what it prints.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export STORE="$folder/DogWalk.sqlite"
printf '%s\n' 'add 2026-03-01T08:00:00Z' 'add 2026-01-01T08:00:00Z' 'add 2026-02-01T08:00:00Z' \
  'delete 2' 'delete 7' | "$DOGWALK" >"$folder/printed.txt"
tail -n 4 "$folder/printed.txt" | diff -u - <(
  cat <<'EXPECTED'
There is no walk 7.
List of Walks of Fido
  1 2026-03-01T08:00:00Z
  2 2026-02-01T08:00:00Z
EXPECTED
)
# The next run finds Fido and his walks.
diff -u <("$DOGWALK" </dev/null) <(tail -n 3 "$folder/printed.txt")
echo "Dog Walk keeps the walks in order"
