// SPDX-License-Identifier: Apache-2.0

/// One value that a composite attribute is made of; composites inside of it are taken apart.
package struct CompositeElement: Sendable {
  /// The names that lead to it from the attribute: one, or more through composites inside.
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
  /// More would not fit into a call of SQLite's, and none would fit into a hostile model's tree.
  private static let limit = 120

  /// What a composite type is made of, in the order of the model; nothing for an unknown one.
  ///
  /// - Throws: `ModelError` without its place, for a type that holds itself, for elements that are no
  ///   attributes or share a name, and for more than 120 of them.
  package static func elements(
    of name: String?,
    in composites: [String: [PropertyDraft]]
  ) throws -> [CompositeElement] {
    var elements: [CompositeElement] = []
    var left = limit
    if let name { try add(name, [], inside: [], composites, to: &elements, &left) }
    return elements
  }

  private static func add(
    _ name: String,
    _ path: [String],
    inside: [String],
    _ composites: [String: [PropertyDraft]],
    to elements: inout [CompositeElement],
    _ left: inout Int
  ) throws {
    if inside.contains(name) {
      throw ModelError(reason: "the composite “\(name)” contains itself")
    }
    var names: Set<String> = []
    for draft in composites[name] ?? [] {
      guard case .attribute(let attribute) = draft.kind else {
        throw ModelError(reason: "“\(draft.name)” of the composite “\(name)” is no attribute")
      }
      if draft.name.isEmpty || !names.insert(draft.name).inserted {
        throw ModelError(reason: "two elements of the composite “\(name)” have one name")
      }
      // Composites inside count too: they may hold nothing.
      left -= 1
      if left < 0 {
        throw ModelError(reason: "the composite “\(name)” has more than \(limit) elements")
      }
      let path = path + [draft.name]
      if attribute.type == .composite, let inner = attribute.compositeName {
        try add(inner, path, inside: inside + [name], composites, to: &elements, &left)
      } else {
        elements.append(
          CompositeElement(path: path, attribute: attribute, isOptional: draft.isOptional)
        )
      }
    }
  }
}
