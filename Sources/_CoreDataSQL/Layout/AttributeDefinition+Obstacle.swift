// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension AttributeDefinition {
  /// The reason why a file cannot store the attribute, as a clause for error texts; nil if a file can store
  /// it.
  var obstacle: String? {
    if type != .composite {
      return type.traits.column == nil ? "its type is \(type.traits.modelFileName)" : nil
    }
    if elements.isEmpty { return "it is a composite without elements" }
    for element in elements {
      if element.attribute.obstacle == nil { continue }
      let (path, type) = (element.path.joined(separator: "."), element.attribute.type)
      return type == .composite
        ? "its element \(path) is a composite without elements"
        : "the type of its element \(path) is \(type.traits.modelFileName)"
    }
    return nil
  }
}
