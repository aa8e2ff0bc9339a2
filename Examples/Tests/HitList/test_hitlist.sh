#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plays a user's session on the program named by HITLIST and compares what it prints.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export STORE="$folder/HitList.sqlite"
printf '%s\n' 'add Ada' 'add Bob' 'add Eve' 'move 1 3' 'add Zoe' 'move 4 1' 'delete 2' 'move 9 1' |
  "$HITLIST" >"$folder/printed.txt"
diff -u - "$folder/printed.txt" <<'EXPECTED'

1 Ada
1 Ada  2 Bob
1 Ada  2 Bob  3 Eve
1 Bob  2 Eve  3 Ada
1 Bob  2 Eve  3 Ada  4 Zoe
1 Zoe  2 Bob  3 Eve  4 Ada
1 Zoe  2 Eve  3 Ada
There is no such row.
1 Zoe  2 Eve  3 Ada
EXPECTED
# The order that the user made outlives the program.
[ "$("$HITLIST" </dev/null)" = "1 Zoe  2 Eve  3 Ada" ]
echo "Hit List keeps the order that its user makes"
