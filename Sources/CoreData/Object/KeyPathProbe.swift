// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate

/// Finds the name of a key path of a hand-written class by evaluating the path on objects that record which
/// properties are read.
///
/// Swift on Linux stores no names in key paths, but the getter of each step reads a key of its object. If
/// each read is made on the destination of the previous read, and the path's value is the value of the last
/// read, the path's name consists of the keys that were read. A path has no name if a getter reads several
/// keys of one object, or returns a value other than the one it read.
///
/// Source: this library's choice.
enum KeyPathProbe {
  /// Returns the name of a key path that starts at a managed object.
  ///
  /// Tries the entities whose class is `root` or, if there are no such entities, those whose class is a
  /// subclass of `root`. Returns the first name found. For each entity, evaluates the path's getters at most
  /// twice, on objects in no context.
  static func name(of path: AnyKeyPath, from root: NSManagedObject.Type) -> KeyPathName {
    let entities = LiveModels.entities(of: root)
    var result = KeyPathName.nameless(
      "no model in use has an entity of the class \(root) or of a subclass; create the container or "
        + "coordinator of such a model first"
    )
    // The models must exist until the last object of the entities is released.
    withExtendedLifetime(entities) {
      for match in entities {
        result = evaluate(path, of: match.type, match.entity)
        if case .name = result { break }
      }
    }
    return result
  }

  /// Evaluates the path twice, with different values of the properties, so that a path whose value equals a
  /// property's value by accident does not get the property's name.
  private static func evaluate(
    _ path: AnyKeyPath,
    of type: NSManagedObject.Type,
    _ entity: NSEntityDescription
  ) -> KeyPathName {
    let first = PathRecorder(.first, path).evaluate(path, of: type, entity)
    guard case .name(let name) = first else { return first }
    let second = PathRecorder(.second, path).evaluate(path, of: type, entity)
    if case .name(name) = second { return first }
    if case .name = second {
      return .nameless("the keys that it reads depend on the object's values")
    }
    return second
  }
}

extension NSManagedObject: KeyPathNaming {
  package static func name(following path: AnyKeyPath, isOneStep: Bool) -> KeyPathName {
    // The tables of a generated class list all of its properties, so a path that they do not list is not a
    // property of the model. The getter of such a path is not evaluated.
    if isOneStep, !_slotNames.isEmpty, Set(_keyPathNames.values).isSuperset(of: _slotNames) {
      return .nameless("the model has no such property for the class \(self)")
    }
    return KeyPathProbe.name(of: path, from: self)
  }
}

/// Records which properties one key path reads, on objects created for this purpose.
final class PathRecorder {
  /// The choice between the two example values of each property.
  enum ValueVariant { case first, second }

  private typealias Read = (object: NSManagedObject, property: PropertyDefinition)
  /// The number of reads after which relationships receive no example destination, so that a getter that
  /// follows relationships in a loop terminates.
  private static let depth = 16

  private let round: ValueVariant
  private let valueType: Any.Type
  private var reads: [Read] = []
  private var isRecording = false
  /// Whether the last read returned a case of an enumeration instead of the property's value.
  private var readsRawValue = false

  init(_ round: ValueVariant, _ path: AnyKeyPath) {
    self.round = round
    valueType = type(of: path).valueType
  }

  func evaluate(
    _ path: AnyKeyPath,
    of type: NSManagedObject.Type,
    _ entity: NSEntityDescription
  ) -> KeyPathName {
    // The objects and this recorder retain each other; clearing the reads breaks the cycle.
    defer { reads = [] }
    let root = object(of: type, entity)
    isRecording = true
    let value = (root as Any)[keyPath: path]
    isRecording = false
    return result(root, value)
  }

  /// Records that a property of `object` is about to be read, and gives the property an example value if it
  /// has none.
  func willRead(_ object: NSManagedObject, _ slot: Int) {
    guard isRecording else { return }
    let property = object.entityDefinition.properties[slot]
    if let last = reads.last, last.object === object, last.property === property { return }
    reads.append((object, property))
    readsRawValue = false
    isRecording = false
    defer { isRecording = true }
    setExampleValue(property, of: object)
  }

  /// Returns one of `cases` as an example, and sets the last property that was read to the raw value of the
  /// example.
  ///
  /// Returns nil if `cases` is empty, or if no read is recorded.
  func example<Case: RawRepresentable>(of cases: [Case]) -> Case? {
    guard isRecording, let last = reads.last, let first = cases.first else { return nil }
    let example = round == .first ? first : cases[cases.count - 1]
    isRecording = false
    defer { isRecording = true }
    last.object.setModelledValue(example.rawValue, last.property.name)
    readsRawValue = true
    return example
  }

  private func result(_ root: NSManagedObject, _ value: Any?) -> KeyPathName {
    let entity = root.entityDefinition.name
    guard let last = reads.last else {
      return .nameless("it reads no property of the entity \(entity)")
    }
    let keys = reads.map(\.property.name)
    var next: NSManagedObject? = root
    for read in reads {
      guard read.object === next else {
        let names = reads.map { "\($0.object.entityDefinition.name).\($0.property.name)" }
        return .nameless("it is computed from \(names.joined(separator: ", "))")
      }
      next = read.property.isToOne ? read.object.reference(read.property.slot) : nil
    }
    guard isValue(value, of: last) else {
      let name = keys.joined(separator: ".")
      return .nameless("it reads \(name) of \(entity), but returns a different value")
    }
    return .name(keys.joined(separator: "."))
  }

  private func isValue(_ value: Any?, of read: Read) -> Bool {
    let expected = Value(any: read.object.value(of: read.property))
    let raw = readsRawValue ? (value as? any RawRepresentable)?.rawValue : nil
    let given = Value(any: raw ?? value)
    if case .date(let seconds) = expected, case .double(let interval) = given {
      return seconds == interval
    }
    // The probe has no example value for this attribute, so the attribute is nil. A nil result counts as a
    // match, unless the path's value type is a plain type: a getter of a plain type may compute its value
    // from the attribute instead of returning the attribute.
    if expected.isNull { return given.isNull && !PlainTypes.contains(valueType) }
    return Constant(expected) == Constant(given)
  }

  // MARK: Objects and their values

  private func object(
    of type: NSManagedObject.Type,
    _ entity: NSEntityDescription
  ) -> NSManagedObject {
    let object = type.init(entity: entity, insertInto: nil)
    for property in object.entityDefinition.properties {
      guard let attribute = property.attribute, let value = value(of: attribute.type) else {
        continue
      }
      object.setModelledValue(value, property.name)
    }
    object.recordReads(with: self)
    return object
  }

  /// Sets the destination of a relationship, or the value of an attribute whose type is known only from the
  /// path's value type.
  private func setExampleValue(_ property: PropertyDefinition, of object: NSManagedObject) {
    let slot = property.slot
    if object.detail?.objects[slot] != nil || reads.count > Self.depth { return }
    if let relationship = property.relationship {
      let model = object.frozenModel
      let destination = self.object(
        of: model.managedObjectClass(at: relationship.destination),
        model.entities[relationship.destination]
      )
      if relationship.isToMany {
        object.writeMembers([destination], slot: slot)
      } else {
        object.writeReference(destination, slot: slot)
      }
    } else if let attribute = property.attribute, value(of: attribute.type) == nil {
      object.detailCreatingIfNeeded.objects[slot] = PlainTypes.example(
        of: valueType,
        isFirst: round == .first
      )
    }
  }

  /// Returns an example value that a typical conversion in a getter, such as trimming or rounding, would
  /// change; nil for a type without an example value.
  private func value(of type: AttributeType) -> Any? {
    let isFirst = round == .first
    return switch type {
    case .integer16, .integer32, .integer64: isFirst ? 12_347 : 29_303
    case .decimal: NSDecimalNumber(string: isFirst ? "12347.25" : "29303.75")
    case .double, .float: isFirst ? 12_347.25 : 29_303.75
    case .string: isFirst ? " \tqÄ7f Zz, (x)\n" : "\n9ßy K.w/é-A \t"
    case .boolean: isFirst
    case .date: Date(timeIntervalSinceReferenceDate: isFirst ? 12_347.25 : 29_303.75)
    case .binaryData: Data(isFirst ? [1, 200, 0, 3] : [9, 0, 255])
    case .uuid: isFirst ? Self.firstID : Self.secondID
    case .uri: URL(string: isFirst ? "probe://first/p?q=1#f" : "probe://second/p?q=2#f")
    case .undefined, .transformable, .objectID, .composite: nil
    }
  }

  private static let firstID = UUID()
  private static let secondID = UUID()
}

private enum PlainTypes {
  /// Returns an example value of a type that transformable attributes often hold; nil for other types.
  static func example(of type: Any.Type, isFirst: Bool) -> Any? {
    let text = isFirst ? "q Z" : "9 w"
    let number = isFirst ? 12_347 : 29_303
    let examples: [Any] = [
      [text], [number], [Double(number)], [Float(number)], [text: text], [text: number],
      [text: Double(number)], Set([text]), Set([number]), NSArray(array: [text]),
      NSDictionary(dictionary: [text: text]), NSSet(array: [text]), text, number, Double(number),
      Data([UInt8(isFirst ? 1 : 2)]),
    ]
    let wanted = wrapped(type)
    return examples.first { Swift.type(of: $0) == wanted }
  }

  /// Returns whether `type` is a plain type, such as a number or a string, which a getter may compute from an
  /// attribute instead of returning the attribute.
  static func contains(_ type: Any.Type) -> Bool {
    let wanted = wrapped(type)
    if (wanted as? any BinaryInteger.Type) != nil { return true }
    if (wanted as? any BinaryFloatingPoint.Type) != nil { return true }
    let plain: [Any.Type] = [
      String.self, Substring.self, Bool.self, Date.self, URL.self, UUID.self, Decimal.self,
      NSNumber.self, NSString.self, NSDecimalNumber.self,
    ]
    return plain.contains { $0 == wanted }
  }

  private static func wrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalMetatype.Type)?.wrappedType ?? type
  }
}
