// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An object with exactly these keys.
package final class SampleObject: KeyedObject {
  package let id: String
  private let entity: String
  private var values: [String: Value]
  package init(_ id: String, entity: String, keys: some Sequence<String> = []) {
    self.id = id
    self.entity = entity
    values = Dictionary(uniqueKeysWithValues: keys.map { ($0, Value.null) })
  }

  package func set(_ key: String, _ value: Value) { values[key] = value }

  package var objectKey: ObjectKey? { nil }

  package func keyedValue(_ key: String) throws -> Value {
    guard let value = values[key] else { throw UnknownKey(key: key, owner: entity) }
    return value
  }
}
