// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

@Suite("Conditions that PostgreSQL evaluates in part")
struct PostgresPrefilterTests {
  private let library: ServerLibrary
  init() throws { library = try ServerLibrary() }

  @Test("ASCII texts are folded by the server, and only the others are left to memory")
  func folding() throws {
    let made = try library.prefilter("Part", "note CONTAINS[c] 'É' OR note BEGINSWITH[cd] 'É'")
    #expect(
      made.text
        == "(octet_length(t0.\"note\") <> char_length(t0.\"note\") OR "
        + "(octet_length(t0.\"note\") <> char_length(t0.\"note\") OR "
        + "(lower(t0.\"note\" COLLATE \"C\") COLLATE \"C\" >= $1::text "
        + "AND lower(t0.\"note\" COLLATE \"C\") COLLATE \"C\" < $2::text)))"
    )
    #expect(made.bindings == [.text("e"), .text("f")])
  }

  @Test(
    "The contrary of a folded comparison leaves out only rows for which the comparison is certain"
  )
  func contraries() throws {
    let made = try library.prefilter("Part", "NOT note ==[c] 'A'")
    #expect(
      made.text
        == "(((octet_length(t0.\"note\") = char_length(t0.\"note\") "
        + "AND lower(t0.\"note\" COLLATE \"C\") = $1::text)) IS NOT TRUE)"
    )
    #expect(made.bindings == [.text("a")])
    #expect(try library.prefilter("Part", "note !=[c] 'A'").text == made.text)
  }

  @Test(
    "A comparison of which nothing is known stands for all rows, and its contrary for no row less"
  )
  func unknown() throws {
    #expect(try library.prefilter("Part", "note MATCHES 'a.*'").text == "")
    let made = try library.prefilter("Part", "(note MATCHES 'a.*' AND size > 1) OR size == 7")
    #expect(
      made.text == "(t0.\"size\" > $1::bigint OR t0.\"size\" = $2::bigint)"
    )
    let contrary = try library.prefilter("Part", "NOT (note MATCHES 'a.*' OR size > 1)")
    #expect(contrary.text == "((t0.\"size\" > $1::bigint) IS NOT TRUE)")
  }

  @Test("A sum of integers is compared where no order of the members could overflow")
  func sums() throws {
    let made = try library.prefilter("Item", "parts.@sum.size > 5")
    #expect(
      made.text
        == "(((SELECT CASE WHEN COALESCE(SUM(abs(t1.\"size\"::numeric)), 0) <= 9223372036854775807 "
        + "THEN COALESCE(SUM(t1.\"size\"), 0)::bigint END FROM \"Part\" AS t1 "
        + "WHERE t1.\"item\" = t0.z_pk) > $1::bigint) IS NOT FALSE)"
    )
    // Where the sum is not certain, nothing is.
    #expect(try library.prefilter("Item", "NOT parts.@sum.size > 5").text == "")
  }

  @Test("A value inside a condition is exact or unknown")
  func values() throws {
    let count = "SUBQUERY(parts, $p, $p.note CONTAINS[c] 'a').@count > 1"
    #expect(try library.prefilter("Item", count).text == "")
    let any = try library.prefilter("Item", "ANY parts.note CONTAINS[c] 'a'")
    #expect(any.text.hasPrefix("EXISTS (SELECT 1 FROM \"Part\" AS t1 WHERE "))
  }
}
#endif
