// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataTools

/// The sources of a project after the rewriting, as text for the terminal.
package struct PortReport {
  package let sources: [PortedSource]
  /// The paths of the Objective-C sources that use Core Data.
  package let objectiveC: [String]

  /// Ports the sources of a project; sources that have nothing to do with Core Data are ported only if `all`
  /// is true.
  package init(_ project: SourceProject, all: Bool) {
    sources = SourcePort(sources: project.sources, models: project.models).ported(all: all)
    objectiveC = project.objectiveC
  }

  /// The sources that the rewriting changes.
  package var changed: [PortedSource] { sources.filter { !$0.edits.isEmpty } }

  /// The number of places that a person has to change; each Objective-C source counts as one place.
  package var leftCount: Int {
    sources.reduce(objectiveC.count) { $0 + $1.findings.count(where: \.isLeft) }
  }

  /// Returns a line for each place that a person has to change.
  ///
  /// If `afterWriting` is true, the positions are those in the rewritten text.
  package func leftLines(afterWriting: Bool) -> [String] {
    sources.flatMap { source in
      source.findings.filter(\.isLeft).map { line($0, source, afterWriting: afterWriting) }
    } + objectiveCLines
  }

  /// A line for each place that must change for Swift on Linux, and for each Objective-C source.
  package var lines: [String] {
    sources.flatMap { source in
      source.findings.map { line($0, source, afterWriting: false) }
    } + objectiveCLines
  }

  private var objectiveCLines: [String] {
    objectiveC.map { path in
      "\(path):1:1: warning: Objective-C: write the class in Swift, or delete the class and generate it "
        + "from the model"
    }
  }

  private func line(_ finding: PortFinding, _ source: PortedSource, afterWriting: Bool) -> String {
    let position =
      afterWriting
      ? source.positionInResult(of: finding.offset) : source.position(of: finding.offset)
    let kind = finding.isLeft ? "warning" : "note"
    return "\(source.path):\(position.line):\(position.column): \(kind): \(finding.message)"
  }

  /// A heading and the paths of the sources that have nothing to do with Core Data; empty if there are none.
  package var unrelatedLines: [String] {
    let unrelated = sources.filter { !$0.usesCoreData }
    if unrelated.isEmpty { return [] }
    let verb = unrelated.count == 1 ? "has" : "have"
    return ["\(CellText.count(unrelated.count, "file")) \(verb) nothing to do with Core Data:"]
      + unrelated.map { "  \($0.path)" }
  }

  /// Returns a line with the numbers of rewritten places, of changed files, and of places left for a person.
  ///
  /// `written` is true if the changes have been written to the files.
  package func summary(written: Bool) -> String {
    let places = changed.reduce(0) { $0 + $1.findings.count(where: { !$0.isLeft }) }
    let rewritten =
      places == 0
      ? "nothing to rewrite"
      : "\(CellText.count(places, "place")) in \(CellText.count(changed.count, "file")) "
        + (written ? "rewritten" : "can be rewritten (--diff shows how, --write does it)")
    let left = leftCount == 0 ? "nothing left" : "\(CellText.count(leftCount, "place")) left"
    return "\(rewritten); \(left) for a person"
  }
}
