// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A builder of a keyed archive, which is a flat list of objects that refer to each other by index.
package struct KeyedArchiveBuilder {
  /// The reference to `$null`, which stands for nil.
  package static let null = PropertyListNode.reference(0)

  package init() {}

  private var objects: [PropertyListNode] = [.text("$null")]
  private var texts: [String: PropertyListNode] = [:]
  private var classes: [String: PropertyListNode] = [:]

  /// Reserves an index for an object and returns the reference to the object.
  ///
  /// Other objects can use the reference before `define(_:_:_:)` sets the object's class and fields.
  package mutating func reserve() -> PropertyListNode {
    objects.append(Self.null)
    return .reference(objects.count - 1)
  }

  /// Sets the class and the fields of a reserved object.
  package mutating func define(
    _ place: PropertyListNode,
    _ className: ArchivedClass,
    _ fields: [String: PropertyListNode]
  ) {
    guard let index = place.reference else { return }
    var fields = fields
    fields["$class"] = reference(to: className)
    objects[index] = .dictionary(fields)
  }

  /// Adds an object of a class and returns the reference to it.
  package mutating func object(
    _ className: ArchivedClass,
    _ fields: [String: PropertyListNode]
  ) -> PropertyListNode {
    let place = reserve()
    define(place, className, fields)
    return place
  }

  /// Adds a property list value as an object and returns the reference to the object.
  package mutating func scalar(_ node: PropertyListNode) -> PropertyListNode {
    objects.append(node)
    return .reference(objects.count - 1)
  }

  /// Adds a string and returns the reference to it; returns the null reference for nil.
  ///
  /// Equal strings share one object.
  package mutating func text(_ text: String?) -> PropertyListNode {
    guard let text else { return Self.null }
    if let place = texts[text] { return place }
    let place = scalar(.text(text))
    texts[text] = place
    return place
  }

  /// Adds an array, a set or an ordered set, whose members are references, and returns the reference to the
  /// collection.
  package mutating func array(
    _ className: ArchivedClass,
    _ members: [PropertyListNode]
  ) -> PropertyListNode {
    object(className, ["NS.objects": .array(members)])
  }

  /// Adds a dictionary, whose values are references, and returns the reference to the dictionary.
  package mutating func dictionary(
    _ className: ArchivedClass,
    _ members: [(String, PropertyListNode)]
  ) -> PropertyListNode {
    let keys = members.map { text($0.0) }
    return object(
      className,
      ["NS.keys": .array(keys), "NS.objects": .array(members.map(\.1))]
    )
  }

  /// Returns the archive, a binary property list; `root` is the reference to the root object.
  package func data(root: PropertyListNode) -> Data {
    PropertyListWriter.data(
      .dictionary([
        "$archiver": .text("NSKeyedArchiver"), "$version": .integer(100_000),
        "$top": .dictionary(["root": root]), "$objects": .array(objects),
      ])
    )
  }

  private mutating func reference(to archived: ArchivedClass) -> PropertyListNode {
    if let place = classes[archived.name] { return place }
    let names = [archived.name] + archived.ancestors
    let place = scalar(
      .dictionary([
        "$classname": .text(archived.name), "$classes": .array(names.map(PropertyListNode.text)),
      ])
    )
    classes[archived.name] = place
    return place
  }
}
