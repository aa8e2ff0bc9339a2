// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Transformers that the model names and no code registers.
enum Transformers {
  final class PaintTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? String).map { Data("paint \($0)".utf8) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0.dropFirst(6), as: UTF8.self) }
    }
  }
}

#if canImport(ObjectiveC)
@objc(XYZVarnishTransformer)
#endif
final class VarnishTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.utf8) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0, as: UTF8.self) + "!" }
  }
}

class Paint: NSManagedObject {
  @NSManaged var colour: NSObject?
  @NSManaged var varnish: NSObject?
}
