// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Functions that suggest known names for a misspelt one.
package enum Suggestion {
  /// Returns `did you mean “Team”?` or, if no known name is similar, a list of at most twelve known names.
  package static func text(for name: String, among known: [String]) -> String {
    if let meant = nearest(to: name, among: known) { return "did you mean “\(meant)”?" }
    let sorted = known.sorted(by: utf8Less)
    if sorted.isEmpty { return "there are no names to choose from" }
    if sorted.count == 1 { return "the only name is \(sorted[0])" }
    let shown = sorted.prefix(12).joined(separator: ", ")
    return sorted.count > 12
      ? "the names are \(shown) and \(CellText.count(sorted.count - 12, "more name"))"
      : "the names are \(shown)"
  }

  /// Returns the most similar known name; nil if no name is similar.
  package static func nearest(to name: String, among known: [String]) -> String? {
    let written = Array(name.lowercased())
    let ranked = known.sorted(by: utf8Less).map { candidate -> (name: String, distance: Int) in
      let folded = candidate.lowercased()
      // Names that contain the misspelt name are preferred to names that only look similar.
      if written.count > 2, folded.contains(name.lowercased()) { return (candidate, 1) }
      return (candidate, FormatVocabulary.distance(written, Array(folded)))
    }
    guard let best = ranked.min(by: { $0.distance < $1.distance }),
      best.distance <= max(1, written.count / 3)
    else { return nil }
    return best.name
  }
}
