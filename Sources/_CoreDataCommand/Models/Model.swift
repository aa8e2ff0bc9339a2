// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `coredata model`: the commands for models.
struct Model: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows, compares, checks and draws models.",
    discussion: """
      A model is an .xcdatamodeld or .momd, of which the current version or the one named by \
      --version is taken, an .xcdatamodel, its contents file, a .mom, or a store: the copy it \
      keeps of its model, else one made of its tables.
      """,
    subcommands: [
      ModelShow.self, ModelDiff.self, Check.self, ModelGraph.self, ModelCompile.self,
      ModelDecompile.self,
    ]
  )
}
