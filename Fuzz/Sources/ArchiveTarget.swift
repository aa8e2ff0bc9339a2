// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Archives of models: what loads is archived, in both forms, as something that loads equal.
struct ArchiveTarget: FuzzTarget {
  private let predicates = PredicateTexts()

  func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let draft = try? ModelArchive.draft(Data(bytes), predicates: predicates),
      let model = try? ModelDefinition(draft)
    else { return }
    let facts = Set(Self.comparable(model))
    for form in [ModelArchive.Form.compiled, .cache] {
      guard let data = try? ModelArchive.archive(model, form: form, predicates: predicates) else {
        continue
      }
      do {
        let read = try ModelDefinition(ModelArchive.draft(data, predicates: predicates))
        let difference = facts.symmetricDifference(Self.comparable(read))
        if !difference.isEmpty { broken("The archive says something else", "\(difference)") }
      } catch {
        broken("The archive cannot be read", "\(error)")
      }
    }
  }

  /// Formats are printed anew, and values of no class that archives know are dropped.
  private static func comparable(_ model: ModelDefinition) -> [String] {
    model.facts.filter { fact in
      ![
        ": fetched ", "request ", ": derived ", " where ", ": default ", ": minimum ", ": maximum ",
      ]
      .contains(where: fact.contains)
    }
  }
}
