// SPDX-License-Identifier: Apache-2.0

/// A class, structure, enumeration or protocol, with the properties that its mangled name depends on.
package final class NominalType {
  package enum Kind: String, Sendable {
    case `class` = "C"
    case `struct` = "V"
    case `enum` = "O"
    case `protocol` = "P"
  }

  let module: String
  let name: String
  let kind: Kind
  /// The type that contains the declaration; nil for a top-level type.
  let parent: NominalType?
  /// The module of the extension that contains the declaration, if the extended type belongs to another
  /// module; otherwise nil.
  let extensionModule: String?
  /// The text that distinguishes a private type from private types of the same name in other files; nil for
  /// other types.
  let discriminator: String?
  let genericCount: Int
  /// The declaration; nil for a type that no source declares, such as a type of a system module.
  let declaration: TypeDeclaration?

  init(
    module: String,
    name: String,
    kind: Kind,
    parent: NominalType? = nil,
    extensionModule: String? = nil,
    discriminator: String? = nil,
    genericCount: Int = 0,
    declaration: TypeDeclaration? = nil
  ) {
    self.module = module
    self.name = name
    self.kind = kind
    self.parent = parent
    self.extensionModule = extensionModule
    self.discriminator = discriminator
    self.genericCount = genericCount
    self.declaration = declaration
  }

  /// The name, preceded by the names of the enclosing types, such as `Shop.Item`.
  var path: String { parent.map { $0.path + "." + name } ?? name }

  /// A text that identifies the type: its module and path, and what else distinguishes it from other types.
  var identity: String { "\(module).\(path)\(discriminator ?? "")\(extensionModule ?? "")" }

  /// Returns whether this is a top-level type with that name that no source declares, such as a type of a
  /// system module.
  func isSystem(_ name: String) -> Bool { declaration == nil && parent == nil && self.name == name }
}

/// The type of a property or parameter, in which every name is resolved.
indirect enum ResolvedType {
  case nominal(NominalType, [ResolvedType])
  case optional(ResolvedType)
  /// `Any`, or a composition of protocols.
  case existential([NominalType])
  case anyObject
}

extension ResolvedType {
  /// A text that is equal for equal types.
  var identity: String {
    switch self {
    case .nominal(let type, let arguments):
      arguments.isEmpty
        ? type.identity : "\(type.identity)<\(arguments.map(\.identity).joined(separator: ","))>"
    case .optional(let type): type.identity + "?"
    case .existential(let protocols): "any(\(protocols.map(\.identity).joined(separator: "&")))"
    case .anyObject: "AnyObject"
    }
  }

  /// The type without one level of `?`; a type that is not optional is returned unchanged.
  var unwrapped: ResolvedType {
    if case .optional(let type) = self { type } else { self }
  }

  var isOptional: Bool {
    if case .optional = self { true } else { false }
  }
}
