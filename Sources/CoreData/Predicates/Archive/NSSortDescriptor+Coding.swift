// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AvoidRetroactiveConformances
// Apple's classes conform, and NSKeyedUnarchiver asks for it.

import Foundation
import _CoreDataPredicate

// Foundation's sort descriptors have no coding on Linux; on Apple's systems they have.
extension NSSortDescriptor: @retroactive NSCoding {}
extension NSSortDescriptor: @retroactive NSSecureCoding {
  /// True: the archive holds data alone.
  public static var supportsSecureCoding: Bool { true }
}

extension SortKeyInitializable {
  /// The sort descriptor that a coder holds, nil where its selector is not known.
  ///
  /// From a secure coder it does not compare before `allowEvaluation()`.
  /// Source: documented (NSSortDescriptor).
  public init?(coder: NSCoder) {
    let selector = Selector(coder.decodeText("NSSelector") ?? "compare:")
    guard let comparison = SortKey.Comparison(selector) else {
      coder.failReading("The selector \(selector) is not one that values can be compared with")
      return nil
    }
    let key = SortKey(
      coder.decodeText("NSKey") ?? "",
      ascending: coder.decodeBool(forKey: "NSAscending"),
      comparison: comparison
    )
    let descriptor = KeyedSortDescriptor(
      key,
      selector: selector,
      isEvaluationAllowed: !coder.requiresSecureCoding
    )
    guard let descriptor = descriptor as? Self else { return nil }
    self = descriptor
  }

  /// Encodes the key, the direction and the selector; a comparator stops the program.
  ///
  /// Source: documented (NSSortDescriptor); keys observed in compiled models.
  public func encode(with coder: NSCoder) {
    guard let descriptor = self as? NSSortDescriptor else { return }
    let key = descriptor.sortKey
    if case .opaque = key.comparison {
      Misuse.failedArchiving("A sort descriptor with a comparator cannot be archived")
    }
    coder.encode(NSString(string: key.keyPath), forKey: "NSKey")
    coder.encode(key.ascending, forKey: "NSAscending")
    coder.encode(NSString(string: descriptor.selector?.name ?? "compare:"), forKey: "NSSelector")
  }
}

extension NSCoder {
  fileprivate func decodeText(_ key: String) -> String? {
    decodeObject(of: NSString.self, forKey: key).map { String(describing: $0) }
  }
}
