// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataTools

@Suite struct OpenedStoreTests {
  @Test("The error for a database without the trait PostgreSQL names the trait Command too")
  func databaseWithoutTrait() throws {
    let url = try #require(URL(string: "postgresql://shop:secret@db.example.org/shop"))
    let error = OpenedStore.noPostgreSQL(url)
    #expect(error.message.contains("postgresql://shop@db.example.org/shop"), "\(error.message)")
    // Without the trait Command, the program that the hint builds would have no commands.
    #expect(error.hint?.contains("--traits Command,PostgreSQL --product coredata") == true)
  }
}
