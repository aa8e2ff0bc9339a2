// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Encodes objects as keyed archives, and decodes archives that contain only ordinary classes and classes
/// that the program allows.
enum SecureArchive {
  /// The classes that are allowed in every archive.
  static let ordinary: [AnyClass] = [
    NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self,
    NSDate.self, NSData.self, NSURL.self, NSUUID.self, NSNull.self,
  ]

  /// Returns the archive of an object, or nil if the object cannot be archived.
  ///
  /// Values of the ordinary classes are encoded without Foundation, whose archiver stops the program at a
  /// decimal number.
  static func data(from object: Any) -> Data? {
    // The error is dropped: callers reject the value, and get the reason from `reason(againstArchiving:)`.
    try? archive(object)
  }

  /// Returns a clause that says why an object cannot be archived; nil if the object can be archived.
  static func reason(againstArchiving object: Any) -> String? {
    do {
      _ = try archive(object)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  private static func archive(_ object: Any) throws -> Data {
    if let value = ordinaryValue(object, depth: 0) {
      var builder = KeyedArchiveBuilder()
      let root = builder.value(value)
      return builder.data(root: root)
    }
    let archived = (object as? NSCoding) ?? FoundationBridging.object(object) as? NSCoding
    guard let archived else {
      throw Refusal(
        description: "its class \(type(of: object)) does not conform to NSSecureCoding"
      )
    }
    if !isNamed(archived) {
      throw Refusal(
        description:
          "its class \(type(of: object)), a superclass of it, or the class of a member is "
          + "nested, private or generic, and Foundation's archiver cannot name such a class"
      )
    }
    do {
      return try NSKeyedArchiver.archivedData(withRootObject: archived, requiringSecureCoding: true)
    } catch {
      throw Refusal(
        description:
          "Foundation's archiver rejects it (\(error.localizedDescription)), for example "
          + "because \(type(of: object)) or the class of a member does not conform to NSSecureCoding"
      )
    }
  }

  /// Converts an object to a value that can be archived without Foundation.
  ///
  /// Returns nil if the object or a member is not of an ordinary class, if the object itself is `NSNull`, if
  /// a dictionary has a key that is not a string, or if the nesting is deeper than the decoder allows.
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

  /// Decodes an untrusted archive; returns nil if the data is not an archive, cannot be unarchived, or names
  /// a class that is not allowed.
  ///
  /// Ordinary values are decoded without Foundation, whose unarchiver stops the program at a class that is
  /// not allowed. Foundation's unarchiver is called only for an archive in which every named class is
  /// allowed.
  static func object(from data: Data, allowing classes: [AnyClass] = []) -> Any? {
    // The error is dropped: data that is not an archive is read as nil, and remains unchanged in the row.
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
    // The error is dropped: data that cannot be unarchived is read as nil, and remains unchanged in the row.
    return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
  }

  /// Returns whether Foundation's archiver can name the class and superclasses of the object or, for a
  /// collection, of every member.
  ///
  /// The archiver stops the program at a nested, private or generic class.
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
