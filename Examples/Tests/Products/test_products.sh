#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the program named by PRODUCTS and compares what it prints with expected.txt.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
STORE="$folder/Products.sqlite" "$PRODUCTS" >"$folder/printed.txt"
diff -u "$(dirname "${BASH_SOURCE[0]}")/expected.txt" "$folder/printed.txt"
# A second run on the same file starts from an empty store.
STORE="$folder/Products.sqlite" "$PRODUCTS" | diff -q - "$folder/printed.txt"
if command -v sqlite3 >/dev/null; then
  [ "$(sqlite3 "$folder/Products.sqlite" 'pragma integrity_check')" = ok ]
  [ "$(sqlite3 "$folder/Products.sqlite" 'select count(*) from ZPRODUCTS')" = 31 ]
fi
echo "Products prints what the article says"
