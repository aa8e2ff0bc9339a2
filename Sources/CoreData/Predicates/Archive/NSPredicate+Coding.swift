// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AvoidRetroactiveConformances
// Apple's classes conform, and NSKeyedUnarchiver asks for it.

import CoreDataPredicate
import Foundation

// Foundation's predicates have no coding on Linux; on Apple's systems they have.
extension NSPredicate: @retroactive NSCoding {}
extension NSPredicate: @retroactive NSSecureCoding {
  /// True: the archive holds data alone.
  public static var supportsSecureCoding: Bool { true }
}

extension FormatInitializable {
  /// The predicate that a coder holds, nil where it holds none.
  ///
  /// From a secure coder it is not evaluated before `allowEvaluation()`.
  /// Source: documented (NSPredicate).
  public init?(coder: NSCoder) {
    guard let predicate = PredicateCoding.read(coder, as: Self.self) as? Self else { return nil }
    self = predicate
  }

  /// Encodes the predicate.
  ///
  /// Blocks, and constants that are managed objects, stop the program.
  /// Source: documented (NSPredicate).
  public func encode(with coder: NSCoder) {
    if let predicate = self as? NSPredicate { PredicateCoding.write(predicate, to: coder) }
  }
}

/// Predicates in Foundation's archives.
private enum PredicateCoding {
  /// Where predicates of Foundation's own classes stand, as an archive of their own.
  static let archiveKey = "NSPredicateArchive"

  static func write(_ predicate: NSPredicate, to coder: NSCoder) {
    do {
      if let carrier = predicate as? any ConditionCarrier {
        carrier.core.keep(coder.encode(try carrier.core.condition.archivedPart()))
      } else {
        try PredicateArchive.data(predicate.condition).withUnsafeBytes { bytes in
          coder.encodeBytes(
            bytes.bindMemory(to: UInt8.self).baseAddress,
            length: bytes.count,
            forKey: archiveKey
          )
        }
      }
    } catch {
      coder.failArchiving("\(error)")
    }
  }

  static func read(_ coder: NSCoder, as type: Any.Type) -> NSPredicate? {
    let name = (type as? AnyClass).flatMap(ArchiveNames.name) ?? ""
    let read = CoderFields.read(coder, name) { fields in
      if name.isEmpty {
        let archive = coder.withDecodedUnsafeBytes(forKey: archiveKey) { $0.map { Data($0) } }
        return try PredicateArchive.condition(archive ?? Data())
      }
      return try Condition(archived: fields)
    }
    guard let condition = read else { return nil }
    return predicate(condition, isAllowed: !coder.requiresSecureCoding)
  }

  /// A predicate of its own for a condition.
  static func predicate(_ condition: Condition, isAllowed: Bool) -> NSPredicate? {
    switch condition {
    case .constant(let flag):
      return flag ? ArchivedTrue(condition) : ArchivedFalse(condition)
    case .comparison(let comparison):
      return NSComparisonPredicate(comparison, isEvaluationAllowed: isAllowed)
    case .and, .or, .not:
      guard let type = NSCompoundPredicate.LogicalType(condition) else { return nil }
      let core = PredicateCore(condition, isEvaluationAllowed: isAllowed)
      return ParsedCompoundPredicate(core, type)
    case .opaque: return nil
    }
  }
}

extension NSPredicate {
  /// Makes the names of archived predicates, expressions and sort descriptors known to Foundation.
  ///
  /// Every predicate, expression or sort descriptor that is made does so too: only a program that reads
  /// an archive before it has made one needs to call it. Source: chosen; Apple needs none.
  public static func registerArchivedClasses() { ArchiveNames.register() }
}

extension FormatInitializable {
  /// The predicate of an archive from Apple's systems or from `archived()`, which anybody may have sent.
  ///
  /// It is read in bounded time and depth, by code that makes no objects but predicates, and is not
  /// evaluated before `allowEvaluation()`.
  /// - Throws: an error that says why it is no archive of a predicate.
  /// Source: chosen; `NSKeyedUnarchiver` stops the program on some archives.
  public init(archive: Data) throws {
    let condition = try PredicateArchive.condition(archive)
    guard let predicate = PredicateCoding.predicate(condition, isAllowed: false) as? Self else {
      throw CocoaError(.coderReadCorrupt)
    }
    self = predicate
  }
}

extension NSPredicate {
  /// The predicate as an archive with Apple's class names and keys, which `NSKeyedUnarchiver` and
  /// `init(archive:)` read.
  ///
  /// `NSKeyedArchiver` on Linux writes names that Apple's systems do not know.
  ///
  /// - Throws: an error for blocks, managed objects and constants of the program's own types.
  /// Source: chosen.
  public func archived() throws -> Data { try PredicateArchive.data(condition) }
}
