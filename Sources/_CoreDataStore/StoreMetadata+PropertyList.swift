// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension StoreMetadata {
  /// Reads the metadata from a store's property list, which is untrusted input.
  ///
  /// - Throws: `ModelError` if the bytes are not a property list, or if its root is not a dictionary.
  package init(propertyList data: Data) throws {
    try self.init(PropertyListReader.root(of: data))
  }

  /// Creates metadata from the root of a property list.
  ///
  /// - Throws: `ModelError` if the node is not a dictionary.
  package init(_ node: PropertyListNode) throws {
    guard case .dictionary(let members) = node else {
      throw ModelError(reason: "the root of the property list is not a dictionary")
    }
    self.init(members.mapValues(Self.any))
  }

  /// The recursion is bounded, because `PropertyListReader` limits the depth.
  private static func any(_ node: PropertyListNode) -> Any {
    switch node {
    case .bool(let flag): NSNumber(value: flag)
    case .integer(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .text(let text): text
    case .data(let data): data
    // UIDs occur only in keyed archives.
    case .reference(let index): ["CF$UID": NSNumber(value: index)]
    case .array(let members): members.map(any)
    case .dictionary(let members): members.mapValues(any)
    }
  }

  /// Returns the metadata as a binary property list; equal metadata produces equal bytes.
  ///
  /// This does not use `PropertyListSerialization`, which rejects arrays in statically linked programs.
  /// - Throws: `CocoaError.propertyListWriteInvalid` (3852) for a value that a property list cannot hold, and
  ///   for an integer outside the range of `Int64`.
  package func propertyList() throws -> Data { PropertyListWriter.data(try node()) }

  /// Returns the metadata as the root dictionary of a property list.
  ///
  /// - Throws: as `propertyList()`.
  package func node() throws -> PropertyListNode {
    .dictionary(try Dictionary(uniqueKeysWithValues: values.map { ($0, try Self.node($1, $0)) }))
  }

  /// Returns the property-list node of a value.
  ///
  /// `path` locates the value in error texts: the metadata key, then the keys and indexes that lead to the
  /// value, separated by dots.
  /// - Throws: `CocoaError.propertyListWriteInvalid` for a value that a property list cannot hold, and for an
  ///   integer outside the range of `Int64`.
  private static func node(_ any: Any, _ path: String) throws -> PropertyListNode {
    if let node = usualScalar(any) { return node }
    if let members = any as? [Any] {
      return .array(try members.enumerated().map { try node($1, "\(path).\($0)") })
    }
    if let members = any as? [String: Any] {
      let nodes = try members.map { ($0, try node($1, "\(path).\($0)")) }
      return .dictionary(Dictionary(uniqueKeysWithValues: nodes))
    }
    if let node = number(any) { return node }
    let fault =
      any is NSNumber || any is any BinaryInteger
      ? "is the integer \(any), which is outside the range of Int64. Use a smaller integer or a Double."
      : "is a value of type \(Swift.type(of: any)), which a property list cannot hold. Use strings, "
        + "numbers, dates, data, arrays, and dictionaries with strings as keys."
    let reason = "The store's metadata cannot be written: “\(path)” \(fault)"
    throw CocoaError(.propertyListWriteInvalid, userInfo: [NSLocalizedDescriptionKey: reason])
  }

  private static func usualScalar(_ any: Any) -> PropertyListNode? {
    if Swift.type(of: any) is AnyClass {
      switch any {
      case let number as NSNumber: return self.number(number)
      case let text as NSString: return .text(String(describing: text))
      case let data as NSData: return .data(Data(referencing: data))
      case let date as NSDate: return .date(date.timeIntervalSinceReferenceDate)
      default: return nil
      }
    }
    switch any {
    case let text as String: return .text(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
    case let flag as Bool: return .bool(flag)
    case let number as Int: return .integer(Int64(number))
    case let number as Double: return .real(number)
    default: return nil
    }
  }

  /// Returns the node of a number of any type; nil for other values.
  ///
  /// The first cast of a type to a protocol searches all conformances of the process, so values of the usual
  /// types are handled by `usualScalar(_:)` first.
  private static func number(_ any: Any) -> PropertyListNode? {
    if Swift.type(of: any) is AnyClass { return nil }
    switch any {
    case let number as any BinaryInteger: return Int64(exactly: number).map { .integer($0) }
    case let number as any BinaryFloatingPoint: return .real(Double(number))
    case let number as Decimal: return .real(NSDecimalNumber(decimal: number).doubleValue)
    default: return nil
    }
  }

  private static let booleanClass: AnyClass = Swift.type(of: NSNumber(value: true))

  private static func number(_ number: NSNumber) -> PropertyListNode? {
    if Swift.type(of: number) == booleanClass { return .bool(number.boolValue) }
    if number is NSDecimalNumber { return .real(number.doubleValue) }
    switch number.objCType.pointee {
    case 0x66, 0x64: return .real(number.doubleValue)  // f, d
    case 0x51: return Int64(exactly: number.uint64Value).map { .integer($0) }  // Q
    default: return .integer(number.int64Value)
    }
  }
}
