# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that compare or document the public API.

# Writes the symbol graphs of a built module.
extract_symbols() { # module, folder of the build's products, package, folder for the graphs, more arguments
  local module=$1 products=$2 package=$3 output=$4 maps=() map
  for map in "$package"/Sources/*/module.modulemap "$products"/*.build/module.modulemap; do
    if [ -f "$map" ]; then maps+=(-Xcc -fmodule-map-file="$map"); fi
  done
  mkdir -p "$output"
  swift symbolgraph-extract -module-name "$module" -I "$products/Modules" "${maps[@]}" \
    -target "$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -n 1)" \
    -minimum-access-level public -skip-synthesized-members -output-dir "$output" "${@:5}"
}
