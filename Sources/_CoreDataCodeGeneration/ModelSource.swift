// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The Swift source for a model, with the same classes and extensions that Xcode would generate.
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

  /// Creates the source of a model; `modelName` is the name of the model's file without extension.
  ///
  /// - Throws: `ModelError` if the model cannot be built, with the file and line that the draft records.
  package init(_ draft: ModelDraft, modelName: String, access: AccessLevel = .public) throws {
    self.draft = draft
    self.modelName = modelName
    self.access = access
    model = try ModelDefinition(draft)
  }

  /// Returns the name of the source file, such as `WorldCup+Model.swift`.
  ///
  /// `CoreDataModelPlugin` builds the same name itself, because a plugin cannot import this module.
  package static func fileName(forModelNamed name: String) -> String { "\(name)+Model.swift" }

  /// Returns the text of the source file, which depends only on the model, its name and the access level.
  ///
  /// If no code is generated for any entity, the file has no declarations.
  /// - Throws: `ModelError`, with the file and line that the draft records, for names that are not Swift
  ///   identifiers or are reserved, and for duplicate classes.
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
      blocks += ClassSource(plan: plan, access: access.prefix).blocks().all
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// Returns the import declaration, which is `public` if a public class is declared.
  ///
  /// A public class needs a public import in modules whose imports are internal by default. Without a public
  /// class the compiler would warn about a public import.
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
