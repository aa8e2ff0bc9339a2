// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

struct UpdatedProperties {
  private let entity: EntityDefinition

  init(_ entity: EntityDefinition) { self.entity = entity }

  /// Returns the slots to set, each with its value or term, ordered by slot.
  ///
  /// - Throws: `NSCoreDataError` (134060) if `properties` is empty, if a key does not name a property that
  ///   can be updated, or if a constant cannot be stored in its property.
  func assignments(
    _ properties: [AnyHashable: Any]
  ) throws -> [(slot: Int, assigned: BatchUpdate.Assigned)] {
    if properties.isEmpty {
      throw invalid(
        "propertiesToUpdate of the batch update of \(entity.name) is nil or empty. Set at least one property."
      )
    }
    return try properties.map { key, value in
      let property = try property(key)
      return (property.slot, try assigned(value, to: property))
    }.sorted { $0.slot < $1.slot }
  }

  private func property(_ key: AnyHashable) throws -> PropertyDefinition {
    guard let name = (key.base as? NSPropertyDescription)?.name ?? key.base as? String else {
      throw invalid(
        "The key \(key.base) of propertiesToUpdate is of type \(type(of: key.base)). Use the names or the "
          + "descriptions of properties of \(entity.name) as keys."
      )
    }
    guard let property = entity.property(named: name) else { throw unknown(name) }
    if !property.isStored {
      throw invalid(
        "\(entity.name).\(name) cannot be updated in a batch: "
          + (property.isToMany
            ? "it is a to-many relationship. Set it on the objects instead, and save the context."
            : property.isTransient
              ? "it is transient, so the rows have no value for it. Set it on the objects instead."
              : "it is a fetched property, which cannot be set. Remove it from propertiesToUpdate.")
      )
    }
    if property.attribute?.derivation != nil {
      throw invalid(
        "\(entity.name).\(name) is a derived attribute, whose value only the store sets. Remove it from "
          + "propertiesToUpdate."
      )
    }
    return property
  }

  private func unknown(_ name: String) -> NSError {
    let names = entity.properties.filter { $0.isStored && $0.attribute?.derivation == nil }
      .map(\.name).sorted()
    return invalid(
      "keypath \(name) not found in entity \(entity.name). "
        + (names.isEmpty
          ? "The entity has no property that a batch update can set."
          : "Use the entity's persistent attributes and to-one relationships as keys: "
            + names.joined(separator: ", ") + ".")
    )
  }

  private func assigned(
    _ value: Any,
    to property: PropertyDefinition
  ) throws -> BatchUpdate.Assigned {
    guard let expression = value as? NSExpression else {
      return .value(try constant(value, property))
    }
    guard case .constant(let constant) = expression.term else { return .term(expression.term) }
    return .value(try self.constant(constant.value.any, property))
  }

  private func constant(_ any: Any?, _ property: PropertyDefinition) throws -> Value {
    guard let any, !(any is NSNull) else { return .null }
    if property.isToOne {
      let key: ObjectKey? =
        switch Value(any: any) {
        case .key(let key): key
        case .object(let object): object.objectKey
        default: nil
        }
      guard let key else { throw AttributeWriting.unfit(any, property, of: entity) }
      if key.isTemporary {
        throw invalid(
          "\(entity.name).\(property.name) cannot be set to an object with a temporary ID, because the "
            + "object has no row in a store yet. Save the object first."
        )
      }
      return .key(key)
    }
    let (chunk, row) = RowChunk.single(entity.rowLayout)
    guard AttributeWriting.write(any, to: property, of: chunk, row) else {
      throw AttributeWriting.unfit(any, property, of: entity)
    }
    return chunk.value(row, property.slot)
  }

  private func invalid(_ text: String) -> NSError {
    coreDataError(NSCoreDataError, "The batch update cannot be executed.", text)
  }
}

enum AttributeWriting {
  /// Writes the value into the property's slot; returns false if the value cannot be converted to the
  /// property's type.
  static func write(
    _ value: Any,
    to property: PropertyDefinition,
    of chunk: RowChunk,
    _ row: Int
  ) -> Bool {
    guard chunk.layout.kinds[property.slot] == .opaque else {
      return chunk.setValue(row, property.slot, Value(any: value))
    }
    guard let data = Transformable.data(from: value, property) else { return false }
    if data.isEmpty, property.attribute?.type == .composite {
      chunk.setNull(row, property.slot)
      return true
    }
    return chunk.setValue(row, property.slot, .data(data))
  }

  /// Returns the error for a value that cannot be converted to the type of `property`.
  ///
  /// `row` is the index of the row in a batch insert; nil for a batch update.
  static func unfit(
    _ value: Any,
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    row: Int? = nil
  ) -> NSError {
    let name = "\(entity.name).\(property.name)"
    let place = row.map { " The value is in the row at index \($0) of the batch insert." } ?? ""
    if let reason = cause(value, property, name) {
      return coreDataError(NSCoreDataError, "A value cannot be stored.", reason + place)
    }
    let desired =
      property.isToOne
      ? "NSManagedObjectID or NSManagedObject"
      : property.attribute.map { $0.type.traits.valueClassName ?? "\($0.type)" } ?? "none"
    return coreDataError(
      NSCoreDataError,
      "A value has the wrong type for its property.",
      "Unacceptable type of value for \(property.isToOne ? "to-one" : "attribute"): property = "
        + "\"\(property.name)\" of \(entity.name); desired type = \(desired); given type = "
        + "\(type(of: value)); value = \("\(value)".prefix(100)).\(place)"
    )
  }

  /// Returns why the value cannot be stored; nil if the reason is the value's type.
  private static func cause(
    _ value: Any,
    _ property: PropertyDefinition,
    _ name: String
  ) -> String? {
    if let reason = Transformable.missing(property) { return "\(name): \(reason)" }
    guard let attribute = property.attribute else { return nil }
    switch (attribute.type.traits.slot, Value(any: value)) {
    case (.integer, .double(let number)), (.boolean, .double(let number)):
      return "\(name) cannot be set to \(number), which is outside the range of 64-bit integers."
    case (.opaque, _) where attribute.type == .composite:
      let names = attribute.elements.map { $0.path.joined(separator: ".") }
      return
        "\(name) is a composite attribute, and the value is not a dictionary from element names to values of "
        + "the elements' types. The elements are \(names.joined(separator: ", "))."
    case (.opaque, _):
      let converter =
        attribute.ownTransformerName.map { "the value transformer “\($0)”" }
        ?? "a secure keyed archive"
      return
        "\(name) cannot be set to a value of type \(type(of: value)), because \(converter) cannot convert "
        + "the value to data."
    default: return nil
    }
  }
}
