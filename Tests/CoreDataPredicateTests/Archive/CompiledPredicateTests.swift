// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// Predicates inside the compiled models of other people's programs.
@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct CompiledPredicateTests {
  @Test func `Every predicate in the compiled models is read, and written with the same keys`()
    throws
  {
    let folder = Shared.root.appendingPathComponent("fixtures/compiled")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    )
    var formats: Set<String> = []
    for case let url as URL in files where url.pathExtension == "mom" {
      guard let archive = try? KeyedArchive(Data(contentsOf: url)) else { continue }
      for (index, object) in archive.objects.enumerated() {
        let name = archive.className(object) ?? ""
        guard name == "NSComparisonPredicate" || name == "NSCompoundPredicate" else { continue }
        let condition = try PredicateArchive.condition(.reference(index), in: archive)
        formats.insert(condition.format)
        try expectSameKeys(condition, object, archive)
      }
    }
    // The predicates of the request templates and fetched properties of SwiftGen's model.
    let known: Set = [
      "oneToOne.name == $NAME OR string == $NEEDLE", "oneToOne.name == $NAME",
      "string == $NEEDLE", "uuid == $UUID", "1 == 1",
    ]
    #expect(formats.isSuperset(of: known), "\(formats)")
  }

  private func expectSameKeys(
    _ condition: Condition,
    _ object: PropertyListNode,
    _ archive: KeyedArchive
  ) throws {
    let own = try KeyedArchive(PredicateArchive.data(condition))
    let left = shape(own.root, own)
    let right = shape(object, archive)
    #expect(left == right, "\(condition.format)")
  }

  /// Class names and keys, as a tree.
  private func shape(_ node: PropertyListNode?, _ archive: KeyedArchive) -> String {
    guard case .dictionary(let fields)? = archive[node] else { return "_" }
    if let members = fields["NS.objects"]?.array {
      return "[" + members.map { shape($0, archive) }.joined(separator: ",") + "]"
    }
    let keys = fields.keys.filter { $0 != "$class" }.sorted()
    let parts = keys.map { "\($0):\(shape(fields[$0], archive))" }
    return (archive.className(node) ?? "?") + "{" + parts.joined(separator: ",") + "}"
  }
}
