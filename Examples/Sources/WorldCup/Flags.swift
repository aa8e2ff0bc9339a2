// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Team names to flags: the page needs no images.
enum Flags {
  /// The flag of a country by its English name; a football for whoever has none.
  static func flag(for name: String) -> String {
    if let flag = nations[name] { return flag }
    guard let code = codes[name] ?? regions[name] else { return "⚽️" }
    // Two "regional indicator" letters are shown as the flag of that region.
    let letters = code.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0x1F1A5) }
    return letters.reduce(into: "") { $0.unicodeScalars.append($1) }
  }

  private static let nations = [
    "England": "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "Scotland": "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "Wales": "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "Wenderland": "🧙",
  ]

  /// Names that football uses and the list of regions does not.
  private static let codes = [
    "Bosnia and Herzegovina": "BA", "Ivory Coast": "CI", "Korea": "KR", "USA": "US",
    "Czech Republic": "CZ", "Turkey": "TR", "Ireland": "IE", "DR Congo": "CD",
  ]

  private static let regions: [String: String] = {
    let english = Locale(identifier: "en_US")
    let names = Locale.Region.isoRegions.compactMap { region -> (String, String)? in
      guard region.identifier.count == 2, region.identifier.allSatisfy(\.isLetter) else {
        return nil
      }
      return english.localizedString(forRegionCode: region.identifier).map {
        ($0, region.identifier)
      }
    }
    return Dictionary(names) { first, _ in first }
  }()
}
