// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Keyed archives of property-list types and of `NSCoding` objects that a program allows.
enum SecureArchive {
  /// Classes that any attribute may hold.
  static let ordinary: [AnyClass] = [
    NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self,
    NSDate.self, NSData.self, NSURL.self, NSUUID.self, NSNull.self,
  ]

  /// Nil where the object cannot be archived.
  ///
  /// Values of the ordinary classes are written without Foundation, whose archiver stops the program at a
  /// decimal number.
  static func data(from object: Any) -> Data? {
    if let value = ordinaryValue(object, depth: 0) {
      var builder = KeyedArchiveBuilder()
      let root = builder.value(value)
      return builder.data(root: root)
    }
    let archived = (object as? NSCoding) ?? FoundationBridging.object(object) as? NSCoding
    guard let archived, isNamed(archived) else { return nil }
    // The callers refuse a value without an archive, with its name.
    return try? NSKeyedArchiver.archivedData(withRootObject: archived, requiringSecureCoding: true)
  }

  /// Nil for anything but values of the ordinary classes, and for what is nested deeper than the reader
  /// allows.
  private static func ordinaryValue(_ object: Any, depth: Int) -> Value? {
    if depth == 63 { return nil }
    if object is NSNull { return depth == 0 ? nil : .null }
    if let kind = kind(of: object) {
      var members: [Value] = []
      for member in kind.members {
        guard let value = ordinaryValue(member, depth: depth + 1) else { return nil }
        members.append(value)
      }
      return .collection(ValueCollection(kind.kind, members))
    }
    if object is NSDictionary || object is [AnyHashable: Any] {
      guard let entries = object as? [String: Any] else { return nil }
      var members: [String: Value] = [:]
      for (key, entry) in entries {
        guard let value = ordinaryValue(entry, depth: depth + 1) else { return nil }
        members[key] = value
      }
      return .dictionary(members)
    }
    switch Value(any: object) {
    case .null, .key, .object, .collection, .dictionary, .opaque: return nil
    case let value: return value
    }
  }

  private static func kind(of object: Any) -> (kind: ValueCollection.Kind, members: [Any])? {
    switch object {
    case let array as [Any]: (.array, array)
    case let set as NSOrderedSet: (.orderedSet, set.array)
    case let set as NSSet: (.set, set.allObjects)
    case let set as Set<AnyHashable>: (.set, set.map(\.base))
    default: nil
    }
  }

  /// The object of an archive that may come from anybody; nil where it names any other class.
  ///
  /// Ordinary values are read without Foundation, whose unarchiver stops the program on a class that
  /// is not allowed: it is only asked once the archive is known to name none.
  static func object(from data: Data, allowing classes: [AnyClass] = []) -> Any? {
    // What is not an archive has no object; the bytes stay in the row.
    guard let archive = try? KeyedArchive(data) else { return nil }
    if let value = archive.value(archive.root), !value.isNull { return value.any }
    if classes.isEmpty { return nil }
    let allowed = ordinary + classes
    let names = Set(
      allowed.map { NSStringFromClass($0) } + ["NSMutableArray", "NSMutableDictionary"]
    )
    for object in archive.objects {
      if let name = object["$classname"]?.text, !names.contains(name) { return nil }
    }
    // As above.
    return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
  }

  /// Whether Foundation's archiver has a name for the class of the object, of what it inherits from, and of the
  /// members of collections: it stops the program on classes that are nested, private or generic.
  private static func isNamed(_ object: Any) -> Bool {
    switch object {
    case let array as NSArray: return array.allSatisfy(isNamed)
    case let set as NSSet: return set.allObjects.allSatisfy(isNamed)
    case let set as NSOrderedSet: return set.array.allSatisfy(isNamed)
    case let dictionary as NSDictionary:
      return dictionary.allSatisfy { isNamed($0.key) && isNamed($0.value) }
    case is NSString, is NSNumber, is NSDate, is NSData, is NSURL, is NSUUID, is NSNull: return true
    default: break
    }
    guard Swift.type(of: object) is AnyClass else { return true }
    var mirror: Mirror? = Mirror(reflecting: object)
    while let level = mirror {
      if String(reflecting: level.subjectType).split(separator: ".").count != 2 { return false }
      mirror = level.superclassMirror
    }
    return true
  }
}
