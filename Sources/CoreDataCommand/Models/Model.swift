// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `coredata model`: what can be asked of a model.
struct Model: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows, compares, checks and draws models.",
    discussion: """
      A model is an .xcdatamodeld, of which the current version or the one named by --version is \
      taken, an .xcdatamodel, or its contents file.
      """,
    subcommands: [ModelShow.self, ModelDiff.self, Check.self, ModelGraph.self]
  )
}
