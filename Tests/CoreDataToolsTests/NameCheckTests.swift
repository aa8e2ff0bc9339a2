// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing
import _CoreDataTools

struct NameCheckTests {
  @Test(
    "Names that an entity does not have are found wherever a path has them, behind operators too",
    arguments: [
      ("books.@sum.pages", nil), ("books.tags.@count", nil), ("SELF", nil), ("name", nil),
      ("books.@sum.page", "page"), ("books.@max.tags.lable", "lable"), ("boks.@count", "boks"),
    ] as [(String, String?)]
  )
  func paths(_ path: String, _ unknown: String?) throws {
    let library = try Library(model: Library.xml)
    defer { library.remove() }
    let author = try #require(library.loaded.definition.entity(named: "Author"))
    let check = NameCheck(model: library.loaded.definition, entity: author)
    let predicate = NSPredicate(format: "%K == 1", path)
    for body in [{ try check.check(path) }, { try check.check(predicate: predicate) }] {
      guard let unknown else {
        try body()
        continue
      }
      let error = #expect(throws: ToolError.self) { try body() }
      #expect(error?.message.contains(unknown) == true, "\(error?.message ?? "")")
    }
  }
}
