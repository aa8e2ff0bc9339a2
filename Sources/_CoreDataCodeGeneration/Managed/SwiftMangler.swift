// SPDX-License-Identifier: Apache-2.0

/// Computes the symbols that the compiler gives to accessors.
///
/// Source: documented, “Mangling” of the Swift project, with the rules for substitutions of identifiers,
/// types and words.
struct SwiftMangler {
  private var text = ManglingText()

  /// Returns the mangled names of the getter and the setter of a property.
  static func accessors(
    of name: String,
    in type: NominalType,
    extensionModule: String? = nil,
    discriminator: String? = nil,
    type valueType: ResolvedType
  ) -> (getter: String, setter: String) {
    var mangler = SwiftMangler()
    mangler.member(name, in: type, extensionModule, discriminator)
    mangler.append(valueType)
    return (mangler.text.bytes + "vg", mangler.text.bytes + "vs")
  }

  /// Returns the symbol of a function; a label is nil for `_`, and `result` is nil for `Void`.
  static func function(
    _ name: String,
    in type: NominalType,
    extensionModule: String? = nil,
    discriminator: String? = nil,
    parameters: [(label: String?, type: ResolvedType)],
    result: ResolvedType?
  ) -> String {
    var mangler = SwiftMangler()
    mangler.member(name, in: type, extensionModule, discriminator)
    mangler.append(labels: parameters.map(\.label))
    if let result { mangler.append(result) } else { mangler.text.append("y") }
    mangler.append(parameters: parameters.map { ($0.label, $0.type) })
    mangler.text.append("F")
    return mangler.text.bytes
  }

  private mutating func member(
    _ name: String,
    in type: NominalType,
    _ extensionModule: String?,
    _ discriminator: String?
  ) {
    append(context: type, extensionModule)
    text.append(identifier: name)
    if let discriminator { append(discriminator: discriminator) }
  }

  // MARK: Names

  private mutating func append(module: String) {
    if module == "Swift" { text.append("s") } else { text.append(identifier: module) }
  }

  private mutating func append(discriminator: String) {
    text.append(identifier: discriminator)
    text.append("LL")
  }

  /// Appends the type that contains a declaration.
  ///
  /// `extensionModule` is the module of the enclosing extension; nil if it is the module of the type, or if
  /// there is no extension.
  private mutating func append(context type: NominalType, _ extensionModule: String?) {
    append(type)
    if let extensionModule {
      append(module: extensionModule)
      text.append("E")
    }
  }

  private mutating func append(_ type: NominalType) {
    if let standard = Self.standard(type) { return text.append(standard: standard) }
    if text.appendSubstitution(of: type.identity) { return }
    appendName(of: type)
    text.append(type.kind.rawValue)
    text.remember(type.identity)
  }

  private mutating func appendName(of type: NominalType) {
    if let parent = type.parent {
      append(context: parent, type.extensionModule)
    } else {
      append(module: type.module)
    }
    text.append(identifier: type.name)
    if let discriminator = type.discriminator { append(discriminator: discriminator) }
  }

  private static func standard(_ type: NominalType) -> String? {
    guard type.module == "Swift", type.parent == nil, type.kind != .protocol else { return nil }
    return standardTypes[type.name]
  }

  /// The types of the standard library that have an abbreviation.
  private static let standardTypes = [
    "Array": "a", "Bool": "b", "Dictionary": "D", "Double": "d", "Float": "f", "Set": "h",
    "Int": "i",
    "Character": "J", "ClosedRange": "N", "Range": "n", "ObjectIdentifier": "O",
    "UnsafePointer": "P",
    "UnsafeMutablePointer": "p", "Optional": "q", "UnsafeBufferPointer": "R",
    "UnsafeMutableBufferPointer": "r", "String": "S", "Substring": "s", "UInt": "u",
    "UnsafeRawPointer": "V", "UnsafeMutableRawPointer": "v", "UnsafeRawBufferPointer": "W",
    "UnsafeMutableRawBufferPointer": "w", "DefaultIndices": "I",
  ]
  private static let standardProtocols = [
    "BinaryFloatingPoint": "B", "Encodable": "E", "Decodable": "e", "FloatingPoint": "F",
    "RandomNumberGenerator": "G", "Hashable": "H", "Numeric": "j", "BidirectionalCollection": "K",
    "RandomAccessCollection": "k", "Comparable": "L", "Collection": "l", "MutableCollection": "M",
    "RangeReplaceableCollection": "m", "Equatable": "Q", "Sequence": "T", "IteratorProtocol": "t",
    "UnsignedInteger": "U", "RangeExpression": "X", "Strideable": "x", "RawRepresentable": "Y",
    "StringProtocol": "y", "SignedInteger": "Z", "BinaryInteger": "z",
  ]

  // MARK: Types

  private mutating func append(_ type: ResolvedType) {
    switch type {
    case .nominal(let nominal, let arguments) where arguments.isEmpty: append(nominal)
    case .nominal(let nominal, let arguments):
      if text.appendSubstitution(of: type.identity) { return }
      append(nominal)
      text.append("y")
      for argument in arguments { append(argument) }
      text.append("G")
      text.remember(type.identity)
    case .optional(let wrapped):
      if text.appendSubstitution(of: type.identity) { return }
      append(wrapped)
      text.append("Sg")
      text.remember(type.identity)
    case .existential(let protocols):
      if text.appendSubstitution(of: type.identity) { return }
      append(existential: protocols)
      text.append("p")
      text.remember(type.identity)
    case .anyObject:
      if text.appendSubstitution(of: type.identity) { return }
      text.append("yXl")
      text.remember(type.identity)
    }
  }

  private mutating func append(existential protocols: [NominalType]) {
    if protocols.isEmpty { return text.append("y") }
    for (index, type) in protocols.enumerated() {
      if type.module == "Swift", let standard = Self.standardProtocols[type.name] {
        text.append(standard: standard)
      } else {
        appendName(of: type)
      }
      if index == 0 { text.append("_") }
    }
  }

  // MARK: Functions

  private mutating func append(labels: [String?]) {
    if labels.isEmpty { return }
    if labels.allSatisfy({ $0 == nil }) { return text.append("y") }
    for label in labels {
      if let label { text.append(identifier: label) } else { text.append("_") }
    }
  }

  private mutating func append(parameters: [(label: String?, type: ResolvedType)]) {
    guard let first = parameters.first else { return text.append("y") }
    if parameters.count == 1, first.label == nil { return append(first.type) }
    for (index, parameter) in parameters.enumerated() {
      append(parameter.type)
      if index == 0 { text.append("_") }
    }
    text.append("t")
  }
}
