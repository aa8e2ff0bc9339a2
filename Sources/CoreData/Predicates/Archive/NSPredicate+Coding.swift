// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AvoidRetroactiveConformances
// Apple's classes conform, and NSKeyedUnarchiver asks for it.

import Foundation
import _CoreDataPredicate

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
    // Foundation asks here for every class; comparisons have subclasses that make themselves.
    let predicate =
      if let comparison = Self.self as? NSComparisonPredicate.Type {
        comparison.init(coder: coder) as NSPredicate?
      } else {
        coder.decodeCondition().map {
          NSPredicate.make($0, isEvaluationAllowed: !coder.requiresSecureCoding)
        }
      }
    guard let predicate = predicate as? Self else { return nil }
    self = predicate
  }

  /// Encodes the predicate.
  ///
  /// Blocks, and constants that are managed objects, stop the program.
  /// Source: documented (NSPredicate); the field is chosen.
  public func encode(with coder: NSCoder) {
    guard let predicate = self as? NSPredicate else { return }
    coder.encodeArchive(of: predicate.condition)
  }

  /// The predicate of an archive from Apple's systems or from `archived()`, which anybody may have sent.
  ///
  /// Not in Apple's framework.
  ///
  /// It is read in bounded time and depth, by code that makes no objects but predicates, and is not
  /// evaluated before `allowEvaluation()`.
  /// - Throws: an error that says why it is no archive of a predicate.
  /// Source: chosen; `NSKeyedUnarchiver` stops the program on some archives.
  public init(archive: Data) throws {
    let condition = try PredicateArchive.condition(archive)
    guard let predicate = NSPredicate.make(condition, isEvaluationAllowed: false) as? Self else {
      throw CocoaError(.coderReadCorrupt)
    }
    self = predicate
  }
}

extension NSPredicate {
  /// The predicate as an archive with Apple's class names and keys, which `init(archive:)` reads.
  ///
  /// Not in Apple's framework.
  ///
  /// `NSKeyedArchiver` on Linux writes names that Apple's systems do not know.
  ///
  /// - Throws: an error for blocks, managed objects and constants of the program's own types.
  /// Source: chosen.
  public func archived() throws -> Data { try PredicateArchive.data(condition) }
}
