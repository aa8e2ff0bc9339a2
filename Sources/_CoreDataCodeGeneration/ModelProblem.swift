// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An error, a warning or a note about a model, with its location.
package struct ModelProblem: Sendable, Hashable, CustomStringConvertible {
  package enum Severity: String, Sendable { case error, warning, note }

  package let severity: Severity
  /// The location of the problem, and the reason for it.
  package let finding: ModelError

  package init(_ severity: Severity, _ finding: ModelError) {
    self.severity = severity
    self.finding = finding
  }

  /// The problem in the form of compiler diagnostics: `file:line: error: Entity.property: reason`, without
  /// the parts that are nil.
  package var description: String {
    let message = "\(severity.rawValue): \(finding.explanation)"
    switch (finding.file, finding.line) {
    case (let file?, let line?): return "\(file):\(line): \(message)"
    case (let file?, nil): return "\(file): \(message)"
    default: return message
    }
  }
}
