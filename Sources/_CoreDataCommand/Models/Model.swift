// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser

struct Model: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows, compares, checks and draws models.",
    discussion: """
      A model is an .xcdatamodeld or .momd (its current version, or the one in --version), an \
      .xcdatamodel, its contents file, a .mom, or a store. The model of a store is the one in its \
      model cache, or else a model that is reconstructed from its tables.
      """,
    subcommands: [
      ModelShow.self, ModelDiff.self, Check.self, ModelGraph.self, ModelCompile.self,
      ModelDecompile.self,
    ]
  )
}
#endif
