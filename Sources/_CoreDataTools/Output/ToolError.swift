// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQLite
import _CoreDataStore

/// An error that a command shows to the user.
package struct ToolError: Error, CustomStringConvertible {
  /// What failed, on what, and why.
  package let message: String
  /// What the user can do about the error; nil if there is no advice.
  package let hint: String?

  package init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  package var description: String { hint.map { "\(message)\n  \($0)" } ?? message }

  /// Converts any error to a message for the terminal and, if there is advice, a hint.
  package init(_ error: any Error) {
    switch error {
    case let error as ToolError: self = error
    case let error as StoreError: self.init(error.description, hint: Self.hint(for: error))
    case let error as ModelError: self.init(error.description)
    case let error as EvaluationError: self.init(error.description)
    case let error as UnknownKey:
      self.init(
        "\(error.owner) has no key “\(error.key)”",
        hint: "Correct the key path of the predicate, expression or sort key."
      )
    case let error as CocoaError:
      self.init(Self.text(of: error as NSError))
    case let error as any LocalizedError:
      self.init(error.errorDescription ?? "\(error)")
    default:
      let text = Self.text(of: error as NSError)
      self.init(text)
    }
  }

  private static func text(of error: NSError) -> String {
    let details = (error.userInfo["NSDetailedErrors"] as? [NSError]) ?? []
    let reason = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String
    let head = error.userInfo[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
    return ([head] + [reason].compactMap { $0 } + details.map { "  " + text(of: $0) })
      .joined(separator: "\n")
  }

  private static func hint(for error: StoreError) -> String? {
    switch error.code {
    // The result code 11 is SQLITE_CORRUPT.
    case .corrupt where error.engineCode == 11:
      "Restore a backup. If the -wal file beside the store belongs to another file, move the -wal file away. "
        + "`sqlite3 FILE .recover` saves what can be read."
    // The result code 26 is SQLITE_NOTADB.
    case .corrupt where error.engineCode == 26:
      "If the file is an XML or binary store, copy it into an SQLite store: "
        + "`coredata transfer FILE COPY.sqlite --model MODEL`."
    case .busy: "Another process holds the lock. Stop that process, or work on a copy of the file."
    case .cannotOpen where error.engineCode == StoreError.needsRollback:
      "The app, `coredata import`, `coredata migrate` and `coredata doctor --repair` roll back such a "
        + "transaction. To leave the files unchanged, copy the store together with its -journal file, and "
        + "work on the copy."
    case .readOnly: "Make the file and its folder writable, or work on a copy of the file."
    case .incompatibleModel:
      "Use --model to pass the version of the model with which the store was created."
    default: nil
    }
  }
}
