// SPDX-License-Identifier: Apache-2.0

/// The source text of the body of a function that changes a to-many relationship.
struct CollectionBody {
  private enum Argument { case object, objects, set, typedSet, index, indexes, indexSet }

  private let operation: CollectionAccessor.Operation
  private let arguments: [Argument?]

  init(
    _ operation: CollectionAccessor.Operation,
    _ types: [ResolvedType],
    _ resolver: TypeResolver
  ) {
    self.operation = operation
    arguments = types.map { Self.argument($0, resolver) }
  }

  private static func argument(_ type: ResolvedType, _ resolver: TypeResolver) -> Argument? {
    guard case .nominal(let nominal, let arguments) = type else { return nil }
    if resolver.isManaged(nominal) { return .object }
    switch nominal.name {
    case "NSSet", "NSOrderedSet": return .set
    case "Set" where arguments.count == 1: return .typedSet
    case "Array" where arguments.count == 1:
      guard case .nominal(let element, _) = arguments[0], resolver.isManaged(element) else {
        return nil
      }
      return .objects
    case "Int": return .index
    case "NSIndexSet": return .indexes
    case "IndexSet": return .indexSet
    default: return nil
    }
  }

  /// Returns the source of a call of the library; nil if the parameter types do not fit the operation.
  ///
  /// `p0` and `p1` are the names of the generated function's parameters.
  func call(place: String) -> String? {
    switch (operation, arguments.first ?? nil, arguments.dropFirst().first ?? nil) {
    case (.add, .object, nil), (.add, .set, nil): "_add(p0, \(place))"
    case (.remove, .object, nil), (.remove, .set, nil): "_remove(p0, \(place))"
    case (.add, .typedSet, nil): "_add(NSSet(array: Array(p0)), \(place))"
    case (.remove, .typedSet, nil): "_remove(NSSet(array: Array(p0)), \(place))"
    case (.insert, .object, .index), (.insert, .objects, .indexes): "_insert(p0, at: p1, \(place))"
    case (.insert, .objects, .indexSet): "_insert(p0, at: p1 as NSIndexSet, \(place))"
    case (.removeAt, .index, nil): "_removeObject(at: p0, \(place))"
    case (.removeAt, .indexes, nil): "_removeObjects(at: p0, \(place))"
    case (.removeAt, .indexSet, nil): "_removeObjects(at: p0 as NSIndexSet, \(place))"
    case (.replace, .index, .object), (.replace, .indexes, .objects):
      "_replace(at: p0, with: p1, \(place))"
    case (.replace, .indexSet, .objects): "_replace(at: p0 as NSIndexSet, with: p1, \(place))"
    default: nil
    }
  }
}
