#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plays a user's session on the program named by BOWTIES and compares what it prints.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export STORE="$folder/BowTies.sqlite"
shared=${COREDATA_SHARED:-}
export COREDATA_SHARED=''
printf '%s\n' 'rate 3' 'show R' 'rate 4.5' 'rate 6' 'show Y' 'wear 2026-03-01T08:00:00Z' 'show Q' |
  "$BOWTIES" | diff -u - <(
    cat <<'EXPECTED'
Name: My bow tie, Worn: 2001-01-01T00:00:00Z
Choose a bow tie first.
Scarlet Bow Tie
  Rating: 3.5/5
  # times worn: 4
  Last worn: 2026-01-05T18:00:00Z
  Favorite: no
  Tint: 200 30 40, photo of 115215 bytes
Scarlet Bow Tie
  Rating: 4.5/5
  # times worn: 4
  Last worn: 2026-01-05T18:00:00Z
  Favorite: no
  Tint: 200 30 40, photo of 115215 bytes
Could not save: a rating is from 0 to 5
Scarlet Bow Tie
  Rating: 4.5/5
  # times worn: 4
  Last worn: 2026-01-05T18:00:00Z
  Favorite: no
  Tint: 200 30 40, photo of 115215 bytes
Lemon Bow Tie
  Rating: 4.5/5
  # times worn: 10
  Last worn: 2026-02-14T19:00:00Z
  Favorite: yes
  Tint: 250 240 60, photo of 115215 bytes
Lemon Bow Tie
  Rating: 4.5/5
  # times worn: 11
  Last worn: 2026-03-01T08:00:00Z
  Favorite: yes
  Tint: 250 240 60, photo of 115215 bytes
There is no bow tie Q.
EXPECTED
  )
# Each photo has a file of its own.
[ "$(find "$folder/.BowTies_SUPPORT/_EXTERNAL_DATA" -type f | wc -l)" = 5 ]
# The next run finds what was worn.
"$BOWTIES" <<<'show Y' | grep -qxF '  # times worn: 11'
# The book's own bow ties, where they are at hand.
if [ -f "$shared/fixtures/seeds/BowTies_SampleData_v5.plist" ]; then
  STORE="$folder/Book.sqlite" COREDATA_SHARED=$shared "$BOWTIES" <<<'show V' |
    grep -qxF '  # times worn: 7'
fi
echo "Bow Ties are worn and rated"
