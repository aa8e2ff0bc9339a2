// SPDX-License-Identifier: Apache-2.0

/// One element of a composite attribute or of a composite nested in it.
///
/// A nested composite itself is left out; its elements take its place.
package struct CompositeElement: Sendable {
  /// The names that lead from the attribute to the element.
  ///
  /// An element of the attribute itself has one name; an element of a nested composite has several names.
  package var path: [String]
  package var attribute: AttributeDefinition
  package var isOptional: Bool

  package init(path: [String], attribute: AttributeDefinition, isOptional: Bool) {
    self.path = path
    self.attribute = attribute
    self.isOptional = isOptional
  }
}

extension CompositeElement {
  /// The maximum number of elements of a composite, including nested composites and their elements.
  ///
  /// The elements must fit into the arguments of one SQL function call, and an untrusted model could nest
  /// composites without limit.
  private static let limit = 120

  /// Returns the elements of the composite type `name` in the model's order; an empty array if `name` is nil
  /// or the type is unknown.
  ///
  /// - Throws: `ModelError` if the type contains itself, if an element has no name or is not an attribute, if
  ///   two elements have the same name, or if there are more than `limit` elements. The error names no entity
  ///   or property.
  package static func elements(
    of name: String?,
    in composites: [String: [PropertyDraft]]
  ) throws -> [CompositeElement] {
    var elements: [CompositeElement] = []
    var left = limit
    if let name { try add(name, at: [], inside: [], of: composites, to: &elements, left: &left) }
    return elements
  }

  private static func add(
    _ name: String,
    at path: [String],
    inside: [String],
    of composites: [String: [PropertyDraft]],
    to elements: inout [CompositeElement],
    left: inout Int
  ) throws {
    if inside.contains(name) {
      throw ModelError(reason: "the composite “\(name)” contains itself")
    }
    var names: Set<String> = []
    for draft in composites[name] ?? [] {
      if draft.name.isEmpty {
        throw ModelError(reason: "an element of the composite “\(name)” has no name")
      }
      guard case .attribute(let attribute) = draft.kind else {
        throw ModelError(
          reason: "the element “\(draft.name)” of the composite “\(name)” is not an attribute"
        )
      }
      if !names.insert(draft.name).inserted {
        throw ModelError(
          reason: "two elements of the composite “\(name)” have the name “\(draft.name)”"
        )
      }
      // Nested composites count too, because otherwise any number of empty composites could be nested.
      left -= 1
      if left < 0 {
        throw ModelError(
          reason:
            "the composite “\(inside.first ?? name)” has more than \(limit) elements, counting nested "
            + "composites and their elements"
        )
      }
      let path = path + [draft.name]
      if attribute.type == .composite, let inner = attribute.compositeName {
        try add(
          inner,
          at: path,
          inside: inside + [name],
          of: composites,
          to: &elements,
          left: &left
        )
      } else {
        elements.append(
          CompositeElement(path: path, attribute: attribute, isOptional: draft.isOptional)
        )
      }
    }
  }
}
