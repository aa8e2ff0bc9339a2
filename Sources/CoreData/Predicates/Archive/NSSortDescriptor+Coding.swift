// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AvoidRetroactiveConformances
// Apple's class conforms to NSSecureCoding, and NSKeyedUnarchiver requires the conformance.

import Foundation
import _CoreDataPredicate

extension NSSortDescriptor: @retroactive NSCoding {}
extension NSSortDescriptor: @retroactive NSSecureCoding {
  /// True, because decoding does not create instances of classes that the archive names.
  public static var supportsSecureCoding: Bool { true }
}

extension SortKeyInitializable {
  /// Decodes a sort descriptor; if the selector is not supported, calls the coder's `failWithError(_:)` and
  /// returns nil.
  ///
  /// Also returns nil if `Self` is a subclass of `NSSortDescriptor`.
  ///
  /// After decoding with a secure coder, `compare(_:to:)` stops the program until `allowEvaluation()` is
  /// called.
  ///
  /// Source: documented, “NSSortDescriptor”.
  public init?(coder: NSCoder) {
    let selector = Selector(coder.decodeText("NSSelector") ?? "compare:")
    guard let comparison = SortKey.Comparison(selector) else {
      coder.failReading(SortKey.Comparison.unsupported(selector))
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

  /// Encodes the key, the direction and the selector.
  ///
  /// Stops the program if the descriptor has a comparator, or a key path without a name.
  ///
  /// Source: documented, “NSSortDescriptor”; the names of the encoded fields are observed in compiled models.
  public func encode(with coder: NSCoder) {
    guard let descriptor = self as? NSSortDescriptor else { return }
    let key = descriptor.sortKey
    if case .opaque = key.comparison {
      Misuse.failedArchiving(
        "A sort descriptor with a comparator cannot be archived, because a closure has no archived form. "
          + "Create the descriptor with a key and, if needed, a selector."
      )
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
