// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The built-in value transformers of Apple's Foundation that return a Boolean as an `NSNumber`.
///
/// Source: documented, “NSValueTransformerName”.
final class TruthTransformer: ValueTransformer {
  private let reverses: Bool
  private let truth: @Sendable (Any?) -> Bool

  private init(reverses: Bool, _ truth: @escaping @Sendable (Any?) -> Bool) {
    self.reverses = reverses
    self.truth = truth
    super.init()
  }

  override class func transformedValueClass() -> AnyClass { NSNumber.self }
  override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: truth(value)) }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    reverses ? transformedValue(value) : nil
  }

  static func standard(_ name: NSValueTransformerName) -> TruthTransformer? {
    switch name {
    case .negateBooleanTransformerName:
      TruthTransformer(reverses: true) { !(($0 as? NSNumber)?.boolValue ?? ($0 as? Bool) ?? false) }
    case .isNilTransformerName: TruthTransformer(reverses: false) { $0 == nil || $0 is NSNull }
    case .isNotNilTransformerName:
      TruthTransformer(reverses: false) { $0 != nil && !($0 is NSNull) }
    default: nil
    }
  }
}
