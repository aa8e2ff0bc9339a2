// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `--quiet`: nothing but results and errors.
struct QuietOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print results and errors alone.")
  var quiet = false
}
