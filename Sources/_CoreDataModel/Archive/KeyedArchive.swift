// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A keyed archive as it was read: objects by index, and the top.
///
///     let archive = try KeyedArchive(RawDeflate.inflated(content))
///     let entities = archive[archive.root?["NSEntities"]]
package struct KeyedArchive: Sendable {
  package let objects: [PropertyListNode]
  /// The object under the key `root`; nil where the archive has another top.
  package let root: PropertyListNode?

  /// - Throws: `ModelError` where the data is no keyed archive.
  package init(_ data: Data) throws {
    let list = try PropertyListReader.root(of: data)
    guard list["$archiver"]?.text == "NSKeyedArchiver", let objects = list["$objects"]?.array
    else { throw ModelError(reason: "it is no keyed archive") }
    self.objects = objects
    let top = list["$top"]?["root"]?.reference
    root = top.flatMap { objects.indices.contains($0) ? objects[$0] : nil }
  }

  /// What a field refers to; the field itself where it is no reference, nil for null.
  package subscript(_ field: PropertyListNode?) -> PropertyListNode? {
    guard let index = field?.reference else { return field }
    return index > 0 && index < objects.count ? objects[index] : nil
  }

  /// The name of an object's class.
  package func className(_ object: PropertyListNode?) -> String? {
    self[object?["$class"]]?["$classname"]?.text
  }

  /// The members of an archived array or set.
  package func members(_ field: PropertyListNode?) -> [PropertyListNode] {
    (self[field]?["NS.objects"]?.array ?? []).compactMap { self[$0] }
  }

  /// An archived dictionary whose keys are texts.
  package func dictionary(_ field: PropertyListNode?) -> [String: PropertyListNode] {
    let object = self[field]
    let keys = (object?["NS.keys"]?.array ?? []).map { self[$0]?.text }
    let values = object?["NS.objects"]?.array ?? []
    var members: [String: PropertyListNode] = [:]
    for case (let key?, let value) in zip(keys, values) { members[key] = self[value] }
    return members
  }
}
