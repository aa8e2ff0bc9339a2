// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel

/// All objects of a store at one moment, with their values and links.
///
/// Later changes of the store do not affect a snapshot. Not in Apple's framework.
public struct StoreSnapshot: Equatable {
  /// One object of a snapshot.
  public struct Object: Equatable {
    /// The object's entity and primary key, such as `Note/p1`.
    public fileprivate(set) var name: String
    /// The name of the object's entity.
    public let entity: String
    /// The values by attribute name; nil values are left out.
    private var attributes: [String: Any] = [:]
    /// Attribute → value as text, for comparisons; nil values are left out.
    package private(set) var values: [String: String] = [:]
    /// Relationship → names of the destinations; in order if the relationship is ordered, otherwise sorted.
    public fileprivate(set) var links: [String: [String]] = [:]

    /// Returns the value of an attribute; nil if the value is nil or the entity has no such attribute.
    public subscript(attribute: String) -> Any? { attributes[attribute] }

    /// Returns whether both objects have the same name, the same links, and values that are equal as texts.
    public static func == (left: Object, right: Object) -> Bool {
      left.name == right.name && left.values == right.values && left.links == right.links
    }

    fileprivate init(_ object: NSManagedObject, _ definition: EntityDefinition) {
      name = StoreSnapshot.name(object)
      entity = definition.name
      for property in definition.properties where !property.isTransient && !property.isFetched {
        let value = object.value(forKey: property.name)
        if property.attribute != nil {
          guard let value else { continue }
          attributes[property.name] = value
          values[property.name] = StoreSnapshot.text(value)
          continue
        }
        switch value {
        case let one as NSManagedObject: links[property.name] = [StoreSnapshot.name(one)]
        case let many as NSOrderedSet:
          links[property.name] = many.compactMap {
            ($0 as? NSManagedObject).map(StoreSnapshot.name)
          }
        case let many as NSSet:
          links[property.name] = many.compactMap {
            ($0 as? NSManagedObject).map(StoreSnapshot.name)
          }.sorted()
        default: links[property.name] = []
        }
      }
    }
  }

  /// The objects by name.
  package private(set) var objects: [String: Object] = [:]

  /// Reads all objects.
  ///
  /// Call this initializer on the context's queue.
  /// - Throws: the errors of a fetch.
  package init(_ context: NSManagedObjectContext, _ model: ModelDefinition) throws {
    for entity in model.entities where !entity.isAbstract {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
      request.includesSubentities = false
      for object in try context.fetch(request) {
        let content = Object(object, entity)
        objects[content.name] = content
      }
    }
  }

  /// Returns the object with a name such as `Note/p1`; nil if there is none.
  public subscript(name: String) -> Object? { objects[name] }

  /// Returns the objects of an entity, without those of subentities, in the order of their primary keys.
  public func objects(of entity: String) -> [Object] {
    objects.values.filter { $0.entity == entity }.sorted { naturallyLess($0.name, $1.name) }
  }

  /// Returns a copy of the snapshot with objects renamed; `names` maps old names to new names.
  ///
  /// Objects without a new name are left out, but links to them remain, under the old names.
  package func renamed(_ names: [String: String]) -> StoreSnapshot {
    var renamed = self
    renamed.objects = [:]
    for (name, object) in objects {
      guard let new = names[name] else { continue }
      var object = object
      object.name = new
      object.links = object.links.mapValues { $0.map { names[$0] ?? $0 } }
      renamed.objects[new] = object
    }
    return renamed
  }

  // MARK: Texts

  /// Returns an object's entity and primary key, such as `Note/p1`.
  package static func name(_ object: NSManagedObject) -> String {
    (object.entity.name ?? "") + "/" + object.objectID.uriRepresentation().lastPathComponent
  }

  /// Returns a value as text; equal numbers of different types have equal texts.
  package static func text(_ value: Any) -> String {
    switch value {
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let data as Data: data.base64EncodedString()
    case let number as NSNumber: "\(number.doubleValue)"
    case let list as [String: Any]:
      list.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }.joined(separator: ",")
    default: "\(value)"
    }
  }

  // MARK: Links

  /// A link whose destination does not link back through the inverse relationship.
  package struct OneSidedLink {
    /// The name of the object that has the link, such as `Note/p1`.
    package let object: String
    package let property: String
    package let text: String
  }

  /// Returns the links whose destination does not link back.
  package func oneSidedLinks(_ model: ModelDefinition) -> [OneSidedLink] {
    objects.values.flatMap { object -> [OneSidedLink] in
      guard let entity = model.entity(named: object.entity) else { return [] }
      return entity.properties.flatMap { property -> [OneSidedLink] in
        guard let relationship = property.relationship, let inverse = relationship.inverse else {
          return []
        }
        let back = model.entities[relationship.destination].properties[inverse].name
        return (object.links[property.name] ?? []).compactMap { other in
          objects[other]?.links[back]?.contains(object.name) == true
            ? nil
            : OneSidedLink(
              object: object.name,
              property: property.name,
              text: "\(other).\(back) does not link back"
            )
        }
      }
    }
  }
}
