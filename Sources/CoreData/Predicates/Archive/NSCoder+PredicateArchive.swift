// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// Predicates and expressions in Foundation's archives: one field of bytes, an archive of their own.
extension NSCoder {
  private static let predicateKey = "NSPredicateArchive"
  private static let expressionKey = "NSExpressionArchive"

  /// Encodes a condition; one without an archived form stops the program.
  func encodeArchive(of condition: Condition) {
    encodeArchive(Self.predicateKey) { try PredicateArchive.data(condition) }
  }

  /// Encodes an expression; one without an archived form stops the program.
  func encodeArchive(of term: Term) {
    encodeArchive(Self.expressionKey) { try PredicateArchive.data(term) }
  }

  /// The condition of a predicate that is being decoded; nil where there is none, which ends reading.
  func decodeCondition() -> Condition? {
    decodeArchive(Self.predicateKey) { try PredicateArchive.condition($0) }
  }

  /// The term of an expression that is being decoded; nil where there is none, which ends reading.
  func decodeTerm() -> Term? {
    decodeArchive(Self.expressionKey) { try PredicateArchive.term($0) }
  }

  /// Ends reading with an error.
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
      guard let archive else { throw ArchiveError("The coder holds no archive under \(key)") }
      return try read(archive)
    } catch {
      failReading("\(error)")
      return nil
    }
  }
}
