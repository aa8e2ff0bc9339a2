// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The content of a keyed archive: its objects by index, and its root object.
///
///     let archive = try KeyedArchive(RawDeflate.inflated(content))
///     let entities = archive[archive.root?["NSEntities"]]
package struct KeyedArchive: Sendable {
  package let objects: [PropertyListNode]
  /// The object to which the archive's key `root` refers; nil if there is no such object.
  package let root: PropertyListNode?

  /// Reads the archive in `data`.
  ///
  /// - Throws: `ModelError` if the data cannot be read as a keyed archive.
  package init(_ data: Data) throws {
    let list = try PropertyListReader.root(of: data)
    guard list["$archiver"]?.text == "NSKeyedArchiver", let objects = list["$objects"]?.array
    else { throw ModelError(reason: "the data is not a keyed archive") }
    self.objects = objects
    let top = list["$top"]?["root"]?.reference
    root = top.flatMap { objects.indices.contains($0) ? objects[$0] : nil }
  }

  /// The object that a field refers to; the field itself if the field is not a reference.
  ///
  /// The result is nil for a missing field, the null reference and a reference out of range.
  package subscript(_ field: PropertyListNode?) -> PropertyListNode? {
    guard let index = field?.reference else { return field }
    return index > 0 && index < objects.count ? objects[index] : nil
  }

  /// The name of an object's class; nil if the object has no class.
  package func className(_ object: PropertyListNode?) -> String? {
    self[object?["$class"]]?["$classname"]?.text
  }

  /// Returns the root object if its class is `className`.
  ///
  /// `content` describes the expected content in errors, such as `a model`.
  /// - Throws: `ModelError` if there is no root object, or if its class is not `className`.
  func root(ofClass className: String, content: String) throws -> PropertyListNode {
    guard let root else {
      throw ModelError(reason: "the archive does not contain \(content): it has no root object")
    }
    guard self.className(root) == className else {
      throw ModelError(
        reason:
          "the archive does not contain \(content): its root object \(mismatch(root, className))"
      )
    }
    return root
  }

  func mismatch(_ object: PropertyListNode, _ expected: String) -> String {
    className(object).map { "has the class \($0), not \(expected)" }
      ?? "has no class; \(expected) is expected"
  }

  /// The objects in a field's `NS.objects`, such as the members of an archived array or set; empty if the
  /// field has no `NS.objects`.
  ///
  /// A member is left out if it is the null reference or a reference out of range.
  package func members(_ field: PropertyListNode?) -> [PropertyListNode] {
    (self[field]?["NS.objects"]?.array ?? []).compactMap { self[$0] }
  }

  /// The members of an archived dictionary, with resolved values; empty if the field is not a dictionary.
  ///
  /// A member is left out if its key is not a string, or if its value is the null reference or a reference
  /// out of range.
  package func dictionary(_ field: PropertyListNode?) -> [String: PropertyListNode] {
    let object = self[field]
    let keys = (object?["NS.keys"]?.array ?? []).map { self[$0]?.text }
    let values = object?["NS.objects"]?.array ?? []
    var members: [String: PropertyListNode] = [:]
    for case (let key?, let value) in zip(keys, values) { members[key] = self[value] }
    return members
  }
}
