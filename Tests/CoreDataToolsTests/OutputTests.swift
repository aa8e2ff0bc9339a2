// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataTools

struct OutputTests {
  private func written(
    _ format: OutputFormat,
    _ rows: [[Value]],
    width: Int? = nil
  ) -> String {
    var out = ""
    var writer = RowWriter(format, columns: ["name", "wins"], width: width) { out += $0 }
    for row in rows { writer.write(row) }
    writer.finish()
    return out
  }

  private static let rows: [[Value]] = [
    [.text("Åland, \"old\""), .int(7)], [.text(""), .null], [.text("a\nb"), .int(-12)],
  ]

  @Test func aTableAlignsNumbersAtTheRightAndShowsLineBreaksAsSigns() {
    #expect(
      written(.table, Self.rows) == """
        name          wins
        ────────────  ────
        Åland, "old"     7

        a⏎b            -12

        """
    )
  }

  @Test func aTableFitsItsWidthAndMarksWhatIsCut() {
    let text = written(.table, [[.text("A long name that does not fit"), .int(7)]], width: 20)
    #expect(text.split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= 20 })
    #expect(text.contains("A long name t…     7"))
  }

  @Test func aTableWithMoreColumnsThanFitSaysHowManyItLeavesOutAndHowTheyAreChosen() {
    let names = (1...35).map { "attribute\($0)" }
    let row = names.map { Value.text("the value of \($0)") }
    let table = TextTable(columns: names, sample: [row], width: 80, remedy: "-k")
    #expect(table.columns.count == 4)
    let lines = table.head + [table.line(row)]
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= 80 }, "\(lines)")
    #expect(lines[0].hasSuffix("  … 31 more columns (-k)"))
    #expect(lines[2].hasPrefix("the value o…"))
    // Nothing is left out where all fit, nor where nothing shows the rest.
    let few = TextTable(columns: ["a", "b"], sample: [], width: 80, remedy: "-k")
    #expect(few.head[0] == "a  b")
    #expect(TextTable(columns: names, sample: [row], width: 80).columns.count == 35)
    #expect(TextTable(columns: names, sample: [row], width: nil, remedy: "-k").columns.count == 35)
    let narrow = TextTable(columns: names, sample: [row], width: 5, remedy: "-k")
    #expect(narrow.columns.count == 1)
  }

  @Test func wideCharactersTakeTwoColumns() {
    let table = TextTable(
      columns: ["a", "b"],
      sample: [[.text("東京"), .text("x")], [.text("abcd"), .text("y")]],
      width: nil
    )
    #expect(table.line([.text("東京"), .text("x")]) == "東京  x")
  }

  @Test func commasQuotesAndLineBreaksAreQuotedInCSVAndNilDiffersFromAnEmptyText() {
    #expect(
      written(.csv, Self.rows) == "name,wins\n\"Åland, \"\"old\"\"\",7\n\"\",\n\"a\nb\",-12\n"
    )
  }

  @Test func jsonIsOneArrayAndNDJSONOneObjectALine() throws {
    let json = written(.json, Self.rows)
    let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    #expect(parsed?.count == 3)
    #expect(parsed?.first?["name"] as? String == "Åland, \"old\"")
    #expect(written(.json, []) == "[]\n")
    #expect(
      written(.ndjson, Self.rows).split(separator: "\n").map(String.init)[1]
        == #"{"name":"","wins":null}"#
    )
  }

  @Test func datesAreISO8601WithMillisecondsOnlyWhereThereAreAny() {
    #expect(CellText.date(0) == "2001-01-01T00:00:00Z")
    #expect(CellText.date(86_400.25) == "2001-01-02T00:00:00.250Z")
    #expect(CellText.date(-978_307_200) == "1970-01-01T00:00:00Z")
    #expect(CellText.date(.infinity) == "inf")
  }

  @Test func progressTellsPartRateAndTimeLeftAsFarAsTheyAreKnown() {
    func line(_ total: Int?, _ fraction: Double? = nil, done: Int = 1500) -> String {
      ProgressText("Reading", done: done, of: total, fraction: fraction, seconds: 3).line
    }
    #expect(line(nil) == "Reading: 1,500, 500 a second")
    #expect(line(6000) == "Reading: 1,500 of 6,000 (25 %), 500 a second, 9 s left")
    #expect(line(nil, 0.01) == "Reading: 1,500 (1 %), 500 a second, 4 min 57 s left")
    #expect(line(nil, 0.0001) == "Reading: 1,500 (0 %), 500 a second, 8 h 19 min left")
    #expect(line(1500) == "Reading: 1,500 of 1,500 (100 %), 500 a second")
    #expect(line(0, done: 0) == "Reading: 0 of 0 (100 %), 0 a second")
  }

  @Test func sizesAndCountsAreReadable() {
    #expect(CellText.bytes(1) == "1 byte")
    #expect(CellText.bytes(1023) == "1023 bytes")
    #expect(CellText.bytes(1536) == "1.5 KB")
    #expect(CellText.bytes(5 << 20) == "5 MB")
    #expect(CellText.count(1_234_567) == "1,234,567")
    #expect(CellText.count(-999) == "-999")
    #expect(CellText.objects(0) == "0 objects" && CellText.objects(1) == "1 object")
    #expect(CellText.objects(2500) == "2,500 objects" && CellText.objects(1, of: 1) == "1 object")
    #expect(CellText.objects(6, of: 32) == "6 of 32 objects")
    #expect(CellText.objects(0, of: 1) == "0 of 1 object")
  }

  @Test func theNearestNameIsSuggestedAndOtherwiseTheKnownOnesAreListed() {
    let known = ["Team", "Player", "Stadium"]
    #expect(Suggestion.text(for: "Taem", among: known) == "did you mean “Team”?")
    #expect(Suggestion.text(for: "stadiums", among: known) == "did you mean “Stadium”?")
    #expect(Suggestion.text(for: "Zebra", among: known) == "the names are Player, Stadium, Team")
  }
}
