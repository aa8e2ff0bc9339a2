// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataTools

struct ModelGraph: ParsableCommand {
  enum Language: String, ExpressibleByArgument, CaseIterable { case svg, mermaid, dot }

  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Draws the entities of a model and their relationships.",
    discussion: """
      A crow's foot marks a to-many, a circle marks an optional relationship, and a hollow triangle points \
      to the parent entity. Unique attributes are underlined.

        coredata model graph Shop.xcdatamodeld > shop.svg
        coredata model graph Shop.xcdatamodeld --as mermaid
        coredata model graph Shop.xcdatamodeld --as dot | dot -Tpdf -o shop.pdf
      """
  )

  @Argument(help: "The model.", completion: .file())
  var model: String

  @Option(help: "The version of an .xcdatamodeld; the current version by default.")
  var version: String?

  @Option(name: .customLong("as"), help: "The format: svg, mermaid or dot.")
  var language = Language.svg

  @Option(name: .shortAndLong, help: "The file to write; standard output by default.")
  var output: String?

  func run() throws {
    try Report.running {
      let loaded = try ModelOptions.load(model, version: version)
      let diagram = Diagram(loaded.definition)
      let text =
        switch language {
        case .svg: DiagramSVG(diagram, title: loaded.name).text
        case .mermaid: DiagramMermaid.text(diagram)
        case .dot: DiagramDOT.text(diagram, title: loaded.name)
        }
      guard let output else { return Terminal.write(text) }
      do {
        try Data(text.utf8).write(to: URL(fileURLWithPath: output))
      } catch {
        throw ToolError("\(output): the file cannot be written: \(error.localizedDescription)")
      }
    }
  }
}
#endif
