// SPDX-License-Identifier: Apache-2.0

import CoreData

/// One object in a JSON file.
struct JSONRecord: Codable, Sendable {
  var entity: String
  /// Grows by one with each save of the object.
  var version: UInt64
  /// The attributes that are not nil.
  var values: [String: JSONValue] = [:]
  /// Relationship → the references of its destinations, in their order.
  var links: [String: [String]] = [:]

  init(entity: String, version: UInt64) {
    self.entity = entity
    self.version = version
  }

  /// Creates the record of an object; `reference` returns the reference of a destination.
  ///
  /// - Throws: `CocoaError.coderInvalidValue` for a value that JSON files of this example cannot hold.
  init(
    _ object: NSManagedObject,
    version: UInt64,
    reference: (NSManagedObject) -> String
  ) throws {
    entity = object.entity.name ?? ""
    self.version = version
    for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
      if let value = object.value(forKey: name) {
        values[name] = try JSONValue(value, of: attribute)
      }
    }
    for (name, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
      let destinations = Self.objects(object.value(forKey: name)).map(reference)
      if !destinations.isEmpty { links[name] = destinations }
    }
  }

  private static func objects(_ value: Any?) -> [NSManagedObject] {
    switch value {
    case let object as NSManagedObject: [object]
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }

  /// Returns the values of the attributes.
  ///
  /// - Throws: `CocoaError.fileReadCorruptFile` for a key that the entity does not have, and for a value that
  ///   the attribute cannot have.
  func attributes(of entity: NSEntityDescription, in file: URL) throws -> [String: Any] {
    var attributes: [String: Any] = [:]
    for (name, value) in values {
      guard let attribute = entity.attributesByName[name], !attribute.isTransient,
        let converted = value.value(of: attribute)
      else {
        throw JSONStoreError.damaged(file, "\(self.entity).\(name) cannot have this value")
      }
      attributes[name] = converted
    }
    for name in links.keys where entity.relationshipsByName[name] == nil {
      throw JSONStoreError.damaged(file, "\(self.entity) has no relationship \(name)")
    }
    return attributes
  }
}

/// The errors of the stores.
enum JSONStoreError {
  static func damaged(_ file: URL, _ reason: String) -> CocoaError {
    CocoaError(
      .fileReadCorruptFile,
      userInfo: [
        NSFilePathErrorKey: file.path,
        NSLocalizedFailureReasonErrorKey: "\(file.path): \(reason)",
      ]
    )
  }

  static func unsupported(_ attribute: NSAttributeDescription, _ value: Any) -> CocoaError {
    let name = "\(attribute.entity.name ?? "").\(attribute.name)"
    return CocoaError(
      .coderInvalidValue,
      userInfo: [
        NSLocalizedFailureReasonErrorKey:
          "A JSON store cannot hold the value of \(name), whose type is \(type(of: value))."
      ]
    )
  }

  static func missing(_ id: NSManagedObjectID) -> CocoaError {
    CocoaError(
      CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError),
      userInfo: [
        NSLocalizedFailureReasonErrorKey: "The store has no object \(id.uriRepresentation())."
      ]
    )
  }
}
