// SPDX-License-Identifier: Apache-2.0

/// The source text of the bodies of a getter and a setter.
struct AccessorBody {
  let get: String
  let set: String

  /// A property for which bodies are written.
  struct Property {
    let isOptional: Bool
    /// The type in source text, without `?`.
    let type: String
    /// The arguments for the slot and the name, such as `3, "title"`; empty for a primitive accessor.
    let place: String
    let key: String
  }

  /// Creates bodies that read and write the property with the library's functions for the shape.
  init(_ shape: ValueShape, _ property: Property) {
    let place = property.place
    switch shape {
    case .scalar where property.isOptional, .integer where property.isOptional:
      self.init(
        get: "_readNumber(\(place)).map { \(property.type)(truncating: $0) }",
        set: "_writeNumber(value.map { NSNumber(value: $0) }, \(place))"
      )
    case .scalar: self.init("", property)
    case .integer: self.init("Integer", property)
    case .object(_, let empty): self.init("", property, unwrapping: true, empty: empty)
    case .number: self.init("Number", property, unwrapping: true)
    case .decimal: self.init("Decimal", property, unwrapping: true, empty: "0")
    case .set: self.init("Set", property, unwrapping: true, empty: "NSSet()")
    case .orderedSet: self.init("OrderedSet", property, unwrapping: true, empty: "NSOrderedSet()")
    case .members: self.init("Members", property)
    case .objects: self.init("Objects", property, unwrapping: true, empty: "[]")
    case .reference: self.init("Reference", property, unwrapping: true)
    case .rawValue:
      self.init(
        get: property.isOptional ? "_readRawValue(\(place))" : "_readRequiredRawValue(\(place))",
        set: "_writeRawValue(value, \(place))"
      )
    case .anything: self.init("Anything", property, unwrapping: true)
    case .transformable(let empty):
      self.init("Transformable", property, unwrapping: true, empty: empty)
    }
  }

  private init(get: String, set: String) {
    self.get = get
    self.set = set
  }

  /// Creates the bodies of a primitive accessor, such as `primitiveName`.
  ///
  /// If the property is not optional, `empty` is the expression that the getter returns in place of nil.
  init(primitive property: Property, empty: String?) {
    get = Self.unwrap("_readPrimitive(\"\(property.key)\")", property, empty: empty)
    set = "setPrimitiveValue(value, forKey: \"\(property.key)\")"
  }

  /// Creates bodies that stop the program, because the property's type does not fit the model.
  init(mismatchOf key: String) {
    get = "_stopForMismatch(\"\(key)\")"
    set = get
  }

  /// Creates bodies that call the functions whose names are `_read` and `_write` followed by `name`.
  ///
  /// If `unwrapping` is true, the `_read` function returns an optional value, which the getter unwraps if the
  /// property is not optional.
  private init(
    _ name: String,
    _ property: Property,
    unwrapping: Bool = false,
    empty: String? = nil
  ) {
    let call = "_read\(name)(\(property.place))"
    get = unwrapping ? Self.unwrap(call, property, empty: empty) : call
    set = "_write\(name)(value, \(property.place))"
  }

  private static func unwrap(_ call: String, _ property: Property, empty: String?) -> String {
    if property.isOptional { return call }
    let type = property.type
    let wrapped = type.hasPrefix("any ") ? "(\(type))?" : "\(type)?"
    if let empty { return "(\(call) as \(wrapped)) ?? \(empty)" }
    return "_required(\(call) as \(wrapped), \"\(property.key)\")"
  }
}
