// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The names of sections: the values at a key path, converted to strings.
///
/// A string is not changed, and null becomes the empty string. A number becomes its decimal text, with 1 for
/// true and 0 for false. A URL becomes its absolute string. A collection becomes the names of its members,
/// separated by commas. Any other value becomes its description.
/// Source: documented, “sectionNameKeyPath”.
package struct SectionNames {
  private let keyPath: String
  /// The slot of a persistent string attribute; nil if the value is read by key path.
  private let slot: Int?
  private let realize: (GraphObject) -> Void
  private let value: (GraphObject, _ keyPath: String) -> Value

  /// Creates section names from the values at `keyPath`.
  ///
  /// `realize` loads the row of an object that has none; `value` returns the value at a key path of an
  /// object.
  package init(
    _ keyPath: String,
    entity: EntityDefinition,
    realize: @escaping (GraphObject) -> Void,
    value: @escaping (GraphObject, _ keyPath: String) -> Value
  ) {
    self.keyPath = keyPath
    self.realize = realize
    self.value = value
    let property = entity.property(named: keyPath)
    let isText = property?.attribute?.type == .string && property?.isTransient == false
    slot = isText ? property?.slot : nil
  }

  package func name(of object: GraphObject) -> String {
    guard let slot else { return Self.name(of: value(object, keyPath)) }
    if object.chunk == nil { realize(object) }
    guard let chunk = object.chunk, !chunk.isNull(object.rowIndex, slot) else { return "" }
    return chunk.text(object.rowIndex, slot)
  }

  /// Returns whether two names have the same code points.
  ///
  /// An accented letter can be one code point or two. Strings are sorted by code points, so rows with the two
  /// spellings are not adjacent and must be in different sections.
  package static func areSame(_ left: String, _ right: String) -> Bool {
    left == right && TextSearch.compare(left, right) == 0
  }

  /// Returns the section name for a value, by the rules that `SectionNames` describes.
  package static func name(of value: Value) -> String {
    switch value {
    case .null: ""
    case .text(let text): text
    case .bool(let flag): flag ? "1" : "0"
    case .int(let number): String(number)
    case .double(let number): Int(exactly: number).map { String($0) } ?? "\(number)"
    case .decimal(let number): "\(number)"
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds).description
    case .data(let data): "\(data)"
    case .uuid(let uuid): uuid.uuidString
    case .url(let url): url.absoluteString
    case .key(let key): "\(key)"
    case .object(let object): "\(object)"
    case .collection(let collection):
      collection.members.map { name(of: $0) }.joined(separator: ", ")
    case .dictionary(let dictionary): "\(dictionary)"
    case .opaque(let any): "\(any)"
    }
  }
}
