// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Converts `propertiesToUpdate` to assignments of slots.
struct UpdatedProperties {
  private let entity: EntityDefinition

  init(_ entity: EntityDefinition) { self.entity = entity }

  /// Returns the slots to set and what each is set to, ordered by slot.
  ///
  /// - Throws: 134060 if `properties` is empty, names a property that the entity does not have or that is
  ///   derived, or holds a value of the wrong type.
  func assignments(
    _ properties: [AnyHashable: Any]
  ) throws -> [(slot: Int, assigned: BatchUpdate.Assigned)] {
    if properties.isEmpty {
      throw invalid(
        "propertiesToUpdate is empty in the batch update of \(entity.name). Set at least one property."
      )
    }
    return try properties.map { key, value in
      let property = try property(key)
      return (property.slot, try assigned(value, to: property))
    }.sorted { $0.slot < $1.slot }
  }

  private func property(_ key: AnyHashable) throws -> PropertyDefinition {
    let name = (key.base as? NSPropertyDescription)?.name ?? key.base as? String ?? "\(key.base)"
    guard let property = entity.property(named: name) else {
      throw invalid(
        "keypath \(name) not found in entity \(entity.name). Use the names of properties as keys."
      )
    }
    if !property.isStored {
      throw invalid(
        "\(entity.name).\(name) cannot be updated in a batch: it is not a persistent attribute or to-one "
          + "relationship. Set it on the objects instead, and save the context."
      )
    }
    if property.attribute?.derivation != nil {
      throw invalid(
        "\(entity.name).\(name) is a derived attribute and cannot be updated. Update the properties from "
          + "which it is derived."
      )
    }
    return property
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
      switch Value(any: any) {
      case .key(let key): return .key(key)
      case .object(let object):
        if let key = object.objectKey, !key.isTemporary { return .key(key) }
        throw wrongType(any, property)
      default: throw wrongType(any, property)
      }
    }
    let (chunk, row) = RowChunk.single(entity.rowLayout)
    guard AttributeWriting.write(any, to: property, of: chunk, row) else {
      throw wrongType(any, property)
    }
    return chunk.value(row, property.slot)
  }

  private func wrongType(_ value: Any, _ property: PropertyDefinition) -> NSError {
    AttributeWriting.wrongType(value, property, of: entity)
  }

  private func invalid(_ text: String) -> NSError {
    coreDataError(NSCoreDataError, "The batch update cannot be carried out.", text)
  }
}

/// Writes the attribute values of batch requests into rows.
enum AttributeWriting {
  /// Writes the value into the property's slot; returns false if the value does not fit the property.
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

  static func wrongType(
    _ value: Any,
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) -> NSError {
    if let reason = Transformable.missing(property) {
      return coreDataError(
        NSCoreDataError,
        "A value cannot be stored.",
        "\(entity.name).\(property.name): \(reason)"
      )
    }
    return coreDataError(
      NSCoreDataError,
      "A value has the wrong type for its property.",
      "Unacceptable type of value for \(property.isToOne ? "to-one" : "attribute"): property = "
        + "\"\(property.name)\" of \(entity.name); given type = \(type(of: value))."
    )
  }
}
