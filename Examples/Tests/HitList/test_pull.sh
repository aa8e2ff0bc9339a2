#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Changes the model of Hit List as a `git pull` does, builds again, and looks whether the generated class,
# the program and its stores follow; then the same back. HITLIST names the program that was built before.
set -euo pipefail
package=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# The build folder of the library, as in scripts/test.
scratch=$(dirname "$package")/.build
model=$package/Sources/HitList/HitList.xcdatamodeld/HitList.xcdatamodel/contents
folder=$(mktemp -d)
cp -p "$model" "$folder/contents"
restore() {
  cmp -s "$folder/contents" "$model" || cp "$folder/contents" "$model"
  rm -rf "$folder"
}
trap restore EXIT

fail() {
  echo "error: $*" >&2
  exit 1
}
build() {
  swift build --package-path "$package" --scratch-path "$scratch" --product HitList >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; fail "Hit List does not build with the model $1"; }
}
# Which of the generated class, the program and the store that it makes know the attribute.
knowing() {
  local store=$folder/$1.sqlite
  echo 'add Ada' | STORE=$store "$HITLIST" >/dev/null
  if find "$scratch/plugins/outputs" -name HitList+Model.swift -exec cat {} + |
    grep nickname >/dev/null; then echo class; fi
  if grep -qa nickname "$HITLIST"; then echo program; fi
  if grep -qa ZNICKNAME "$store"*; then echo store; fi
}

grep -q nickname "$model" && fail "the model has the attribute already"
sed 's|<attribute name="name"|<attribute name="nickname" optional="YES" attributeType="String"/>&|' \
  "$folder/contents" >"$model"
build "that was changed"
known=$(knowing new | xargs)
[ "$known" = "class program store" ] || fail "of class, program and store only these follow: $known"
cp "$folder/contents" "$model"
build "as it was"
known=$(knowing old | xargs)
[ -z "$known" ] || fail "these did not go back: $known"
echo "Hit List follows changes of its model ($SECONDS s)"
