// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// A predicate or expression is encoded as one data field, which contains a separate archive.
extension NSCoder {
  private static let predicateKey = "NSPredicateArchive"
  private static let expressionKey = "NSExpressionArchive"

  /// Encodes the condition; stops the program if the condition cannot be archived.
  func encodeArchive(of condition: Condition) {
    encodeArchive(Self.predicateKey) { try PredicateArchive.data(condition) }
  }

  func encodeArchive(of term: Term) {
    encodeArchive(Self.expressionKey) { try PredicateArchive.data(term) }
  }

  /// The permission that a predicate or expression needs for its evaluation if this coder decodes it; nil if
  /// the coder does not require secure coding.
  var evaluationPermission: EvaluationPermission? {
    requiresSecureCoding ? EvaluationPermission() : nil
  }

  /// Returns the decoded condition; if the coder contains no valid condition, calls the coder's
  /// `failWithError(_:)` and returns nil.
  func decodeCondition() -> Condition? {
    decodeArchive(Self.predicateKey) { try PredicateArchive.condition($0) }
  }

  func decodeTerm() -> Term? {
    decodeArchive(Self.expressionKey) { try PredicateArchive.term($0) }
  }

  func failReading(_ reason: String) {
    failWithError(CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: reason]))
  }

  private func encodeArchive(_ key: String, _ archive: () throws -> Data) {
    do {
      try archive().withUnsafeBytes { bytes in
        encodeBytes(
          bytes.bindMemory(to: UInt8.self).baseAddress,
          length: bytes.count,
          forKey: key
        )
      }
    } catch {
      Misuse.failedArchiving("\(error)")
    }
  }

  private func decodeArchive<Result>(
    _ key: String,
    _ read: (Data) throws -> Result
  ) -> Result? {
    let archive = withDecodedUnsafeBytes(forKey: key) { $0.map { Data($0) } }
    do {
      guard let archive else {
        throw ArchiveError("The coder contains no data for the key \(key)")
      }
      return try read(archive)
    } catch {
      failReading("\(error)")
      return nil
    }
  }
}
