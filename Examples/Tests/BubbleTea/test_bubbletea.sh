#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares what the program named by BUBBLETEA prints with expected.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export STORE="$folder/BubbleTea.sqlite"
COREDATA_SHARED='' "$BUBBLETEA" | diff -u expected.txt -
# The book's own venues, where they are at hand; the run before has deleted ours.
seed="${COREDATA_SHARED:-}/fixtures/seeds/BubbleTeaFinder_seed_v5.json"
if [ -f "$seed" ]; then
  "$BUBBLETEA" >"$folder/book.txt"
  for line in "Fetch request 1: 30 venues" "Fetch request 5: 7 venues" \
    '$: 27 bubble tea places' '$$$: 1 bubble tea places' "12 total deals" "Records updated 30"; do
    grep -qxF "$line" "$folder/book.txt" || { echo "missing: $line" >&2; exit 1; }
  done
fi
echo "Bubble Tea finds, counts, sorts, updates and deletes its venues"
