// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The Swift source for a model: what Xcode writes for entities whose code is generated.
///
///     let draft = try ModelFile.draft(at: url)
///     let text = try ModelSource(draft, modelName: "WorldCup").text()
///
/// Source: documented, “Generating code” (Modeling data), and observed, classes of Xcode 15.
package struct ModelSource {
  private let draft: ModelDraft
  private let model: ModelDefinition
  private let modelName: String
  private let access: AccessLevel

  /// Takes a model as its file says it; `modelName` is the file's name without extension.
  ///
  /// - Throws: `ModelError` with file and line where the model cannot be built.
  package init(_ draft: ModelDraft, modelName: String, access: AccessLevel = .public) throws {
    self.draft = draft
    self.modelName = modelName
    self.access = access
    model = try ModelDefinition(draft)
  }

  /// The file that the source goes to, such as `WorldCup+Model.swift`.
  package static func fileName(forModelNamed name: String) -> String { "\(name)+Model.swift" }

  /// The whole file; the same model gives the same text.
  ///
  /// A model whose code is all written by hand gives a file without declarations.
  /// - Throws: `ModelError` with file and line for names that Swift cannot have, and for classes
  ///   declared twice.
  package func text() throws -> String {
    var blocks = [
      """
      // Generated from the model “\(modelName)”; the next build overwrites changes.
      // swift-format-ignore-file
      // swiftlint:disable all
      """
    ]
    let plans = try classPlans()
    if !plans.isEmpty { blocks.append(importLine(for: plans)) }
    for plan in plans {
      blocks += ClassSource(plan: plan, access: access.prefix).blocks()
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// Says `public` where a public class needs it in modules whose imports are internal by default;
  /// elsewhere the compiler would warn of it.
  private func importLine(for plans: [ClassPlan]) -> String {
    let declaresClass = plans.contains { $0.scope == .wholeClass }
    return access == .public && declaresClass ? "public import CoreData" : "import CoreData"
  }

  private func classPlans() throws -> [ClassPlan] {
    do {
      return try ClassPlan.plans(of: model)
    } catch let error as ModelError {
      throw error.located(in: draft)
    }
  }
}
