// SPDX-License-Identifier: Apache-2.0

extension Condition {
  /// The format string of the predicate.
  ///
  /// Parsing the format gives an equivalent predicate, unless the predicate contains a block, an unusable
  /// term, or a constant other than null, a string, a number, a date or an array of these. Format strings
  /// cannot express such a part, so the format only describes the part.
  ///
  /// Source: documented (NSPredicate, `predicateFormat`) and observed.
  package var format: String {
    var text = ""
    write(to: &text)
    return text
  }

  func write(to text: inout String) {
    switch self {
    case .constant(let flag): text += flag ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): comparison.write(to: &text)
    case .and(let members): Self.write(members, " AND ", empty: "TRUEPREDICATE", to: &text)
    case .or(let members): Self.write(members, " OR ", empty: "FALSEPREDICATE", to: &text)
    case .not(let member):
      text += "NOT "
      member.writeMember(to: &text)
    case .opaque(let opaque):
      text += "BLOCKPREDICATE(\(UnsafeRawPointer(Unmanaged.passUnretained(opaque).toOpaque())))"
    }
  }

  private static func write(
    _ members: [Condition],
    _ word: String,
    empty: String,
    to text: inout String
  ) {
    if members.isEmpty { text += empty }
    for (index, member) in members.enumerated() {
      if index > 0 { text += word }
      member.writeMember(to: &text)
    }
  }

  private func writeMember(to text: inout String) {
    switch self {
    case .and(let members) where !members.isEmpty, .or(let members) where !members.isEmpty:
      text += "("
      write(to: &text)
      text += ")"
    default: write(to: &text)
    }
  }
}

extension Comparison {
  func write(to text: inout String) {
    switch modifier {
    case .direct: break
    case .any: text += "ANY "
    case .all: text += "ALL "
    }
    left.write(to: &text)
    text += " " + (selector ?? relation.spelling) + options.letters + " "
    right.write(to: &text)
  }
}

extension TextOptions {
  var letters: String {
    if isEmpty { return "" }
    var text = "["
    if contains(.caseInsensitive) { text += "c" }
    if contains(.diacriticInsensitive) { text += "d" }
    if contains(.normalized) { text += "n" }
    if contains(.localeSensitive) { text += "l" }
    return text + "]"
  }
}
