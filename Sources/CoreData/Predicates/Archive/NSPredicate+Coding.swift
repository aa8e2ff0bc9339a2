// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AvoidRetroactiveConformances
// Apple's class conforms to NSSecureCoding, and NSKeyedUnarchiver requires the conformance.

import Foundation
import _CoreDataPredicate

extension NSPredicate: @retroactive NSCoding {}
extension NSPredicate: @retroactive NSSecureCoding {
  /// True, because decoding does not create instances of classes that the archive names.
  public static var supportsSecureCoding: Bool { true }
}

extension FormatInitializable {
  /// Decodes a predicate; returns nil if the coder contains no valid predicate of the class `Self`.
  ///
  /// A predicate from a secure coder cannot be evaluated before `allowEvaluation()`.
  ///
  /// Source: documented, “NSPredicate”.
  public init?(coder: NSCoder) {
    // Foundation calls this initialiser for every predicate class. A subclass of `NSComparisonPredicate`
    // decodes itself.
    let predicate =
      if let comparison = Self.self as? NSComparisonPredicate.Type {
        comparison.init(coder: coder) as NSPredicate?
      } else {
        coder.decodeCondition().map {
          NSPredicate.make($0, permission: coder.evaluationPermission)
        }
      }
    guard let predicate = predicate as? Self else { return nil }
    self = predicate
  }

  /// Encodes the predicate.
  ///
  /// Stops the program if the predicate cannot be archived, for example because it contains a block or a
  /// managed object.
  ///
  /// Source: documented, “NSPredicate”; the name of the encoded field is this library's choice.
  public func encode(with coder: NSCoder) {
    guard let predicate = self as? NSPredicate else { return }
    coder.encodeArchive(of: predicate.condition)
  }

  /// Decodes a predicate from an archive, trusted or not, that was created on Apple's systems or by
  /// `archived()`.
  ///
  /// Not in Apple's framework.
  ///
  /// Decoding is limited in time and depth, and instantiates no class that the archive names. The predicate
  /// cannot be evaluated before `allowEvaluation()`.
  /// - Throws: an error if the data is not an archive of a predicate; `coderReadCorrupt` if `Self` is a
  ///   subclass of `NSPredicate` and the archived predicate is of another class.
  /// - Source: this library's choice; `NSKeyedUnarchiver` stops the program on some archives.
  public init(archive: Data) throws {
    let condition = try PredicateArchive.condition(archive)
    let decoded = NSPredicate.make(condition, permission: EvaluationPermission())
    guard let predicate = decoded as? Self else {
      let reason =
        "The archive contains a predicate of the class \(decoded.publicClass), but the "
        + "initialiser was called on \(Self.self). Call the initialiser on NSPredicate."
      throw CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: reason])
    }
    self = predicate
  }
}

extension NSPredicate {
  /// Returns an archive that uses Apple's class names and keys; `init(archive:)` decodes the archive.
  ///
  /// Not in Apple's framework.
  ///
  /// On Linux, `NSKeyedArchiver` writes class names that Apple's systems do not know.
  /// - Throws: an error if the predicate contains a part that cannot be archived, such as a block, a managed
  ///   object, an object ID or a value of a custom type.
  /// - Source: this library's choice.
  public func archived() throws -> Data { try PredicateArchive.data(condition) }
}
