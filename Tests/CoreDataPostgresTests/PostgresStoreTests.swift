// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import StoreConformance
import Testing
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataPredicate
import _CoreDataStore

@Suite("A store in a PostgreSQL database", .needsPostgres)
struct PostgresStoreTests {
  @Test("does what every store must", arguments: StoreConformance.checks)
  func conformance(_ check: StoreConformance.Check) throws {
    try PostgresServer.withSchema { address in
      try check.run {
        try PostgresStore(model: $0, index: 3, options: PostgresStoreOptions(address: address))
      }
    }
  }
}
#endif
