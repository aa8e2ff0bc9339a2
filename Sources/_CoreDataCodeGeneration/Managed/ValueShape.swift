// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The shape of a Swift type, which determines the library functions that read and write its values.
enum ValueShape {
  /// A number or Boolean for which the library has fast functions.
  case scalar
  /// An integer type without such functions, such as `Int` or `UInt16`.
  case integer
  /// A value or object for which the library has functions.
  ///
  /// `empty` is the expression that the getter of a property that is not optional returns in place of nil.
  case object(AccessorKinds, empty: String?)
  case number
  case decimal
  case set
  case orderedSet
  /// `Set<Item>`, where `Item` is a managed object class.
  case members(NominalType)
  /// `[Item]`, the value of a fetched property.
  case objects(NominalType)
  case reference(NominalType)
  /// An enumeration whose raw values are strings, or integers if `isText` is false.
  case rawValue(isText: Bool)
  case anything
  case transformable(empty: String?)

  init(_ type: ResolvedType, _ resolver: TypeResolver) {
    guard case .nominal(let nominal, let arguments) = type else {
      self =
        if case .existential(let protocols) = type, protocols.isEmpty { .anything } else {
          .transformable(empty: nil)
        }
      return
    }
    if nominal.declaration == nil, nominal.parent == nil, let known = Self.system(nominal.name),
      ["Swift", "Foundation", "FoundationEssentials"].contains(nominal.module)
    {
      self = known
      return
    }
    if arguments.count == 1, case .nominal(let element, _) = arguments[0],
      resolver.isManaged(element)
    {
      if nominal.isSystem("Set") {
        self = .members(element)
        return
      }
      if nominal.isSystem("Array") {
        self = .objects(element)
        return
      }
    }
    if nominal.kind == .class, resolver.isManaged(nominal) {
      self = .reference(nominal)
    } else if let isText = Self.rawValue(of: nominal, resolver) {
      self = .rawValue(isText: isText)
    } else if nominal.isSystem("Array") || nominal.isSystem("Set") {
      self = .transformable(empty: "[]")
    } else {
      self = .transformable(empty: nominal.isSystem("Dictionary") ? "[:]" : nil)
    }
  }

  private static func system(_ name: String) -> ValueShape? {
    switch name {
    case "Int16", "Int32", "Int64", "Bool", "Double", "Float": .scalar
    case "Int", "Int8", "UInt", "UInt8", "UInt16", "UInt32", "UInt64": .integer
    case "String": .object(.text, empty: "\"\"")
    case "Data": .object(.data, empty: "Data()")
    case "Date", "NSDate": .object(.date, empty: nil)
    case "UUID", "NSUUID": .object(.uuid, empty: nil)
    case "URL", "NSURL": .object(.url, empty: nil)
    case "NSString": .object(.text, empty: nil)
    case "NSData": .object(.data, empty: nil)
    case "NSDecimalNumber": .object(.decimal, empty: nil)
    case "NSNumber": .number
    case "Decimal": .decimal
    case "NSSet": .set
    case "NSOrderedSet": .orderedSet
    default: nil
    }
  }

  /// Returns true for an enumeration whose raw values are strings, and false for one whose raw values are
  /// integers; nil for any other type.
  private static func rawValue(of type: NominalType, _ resolver: TypeResolver) -> Bool? {
    guard type.kind == .enum, let declaration = type.declaration,
      let first = declaration.inherited.first
    else { return nil }
    let scope = TypeResolver.Scope(
      type: declaration.parent,
      file: declaration.file,
      module: resolver.module(of: declaration)
    )
    // The first inherited type can be a protocol that is not found.
    guard case .nominal(let raw, _)? = try? resolver.resolve(first, in: scope) else { return nil }
    if raw.isSystem("String") { return true }
    let isInteger =
      raw.isSystem(raw.name) && (raw.name.hasPrefix("Int") || raw.name.hasPrefix("UInt"))
    return isInteger ? false : nil
  }
}

extension ValueShape {
  /// Returns the kinds of properties whose values the functions for this shape can read and write.
  func kinds(of type: NominalType?) -> AccessorKinds {
    switch self {
    case .scalar: type?.name == "Double" || type?.name == "Float" ? .reals : .numbers
    case .integer: .numbers
    case .object(let kinds, _): kinds
    case .number: [.integer, .boolean, .double, .decimal]
    case .decimal: .decimal
    case .set, .orderedSet, .members: .toMany
    case .objects: [.fetched, .toMany]
    case .reference: .toOne
    case .rawValue(let isText): isText ? .text : .integer
    case .anything: .any
    case .transformable: [.object, .objectID]
    }
  }

  /// Returns the expression that replaces nil in a primitive accessor that is not optional; nil for a shape
  /// without an empty value.
  func emptyPrimitive(_ type: NominalType?) -> String? {
    switch self {
    case .scalar: type?.name == "Bool" ? "false" : "0"
    case .integer, .decimal: "0"
    case .object(_, let empty), .transformable(let empty): empty
    case .members, .objects: "[]"
    case .set: "NSSet()"
    case .orderedSet: "NSOrderedSet()"
    case .number, .reference, .rawValue, .anything: nil
    }
  }
}
