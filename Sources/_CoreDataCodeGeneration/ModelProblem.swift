// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One thing that is wrong or doubtful in a model, with its place.
package struct ModelProblem: Sendable, Hashable, CustomStringConvertible {
  package enum Severity: String, Sendable { case error, warning }

  package let severity: Severity
  /// Place and reason.
  package let finding: ModelError

  package init(_ severity: Severity, _ finding: ModelError) {
    self.severity = severity
    self.finding = finding
  }

  /// One line as compilers print it: `file:line: error: Entity.property: reason`.
  package var description: String {
    let message = "\(severity.rawValue): \(finding.explanation)"
    switch (finding.file, finding.line) {
    case (let file?, let line?): return "\(file):\(line): \(message)"
    case (let file?, nil): return "\(file): \(message)"
    default: return message
    }
  }
}
