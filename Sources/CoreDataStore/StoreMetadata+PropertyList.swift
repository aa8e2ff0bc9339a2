// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

extension StoreMetadata {
  /// The metadata in a store's property list, which may come from anybody.
  ///
  /// - Throws: `ModelError` where the bytes are no property list with a dictionary at its top.
  package init(propertyList data: Data) throws {
    guard case .dictionary(let members) = try PropertyListReader.root(of: data) else {
      throw ModelError(reason: "the metadata are no dictionary")
    }
    self.init(members.mapValues(Self.any))
  }

  /// Lists of the reader are of bounded depth and size.
  private static func any(_ node: PropertyListNode) -> Any {
    switch node {
    case .bool(let flag): NSNumber(value: flag)
    case .integer(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .text(let text): text
    case .data(let data): data
    // No list outside a keyed archive has one.
    case .reference(let index): ["CF$UID": NSNumber(value: index)]
    case .array(let members): members.map(any)
    case .dictionary(let members): members.mapValues(any)
    }
  }
}
