// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Testing
import _CoreDataPostgres

/// The server of the tests, which `scripts/lib/postgres` starts.
enum PostgresServer {
  static let url = ProcessInfo.processInfo.environment["COREDATA_POSTGRES_URL"]
  static let reason: Comment =
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"

  /// The port of the server.
  static func port() throws -> UInt16 {
    let url = try #require(url)
    return UInt16(try #require(URLComponents(string: url)?.port))
  }

  /// Returns an address with the same schema, whose connections go through a proxy.
  static func address(_ address: PostgresAddress, by proxy: CuttingProxy) throws -> PostgresAddress
  {
    let near = try port()
    let far = try #require(url).replacing(":\(near)/", with: ":\(proxy.port)/")
    return try PostgresAddress(far, schema: address.schema)
  }

  /// Runs `body` with the address of a schema of its own, which is dropped afterwards.
  static func withSchema<T>(_ body: (PostgresAddress) throws -> T) throws -> T {
    let name = "test_" + UUID().uuidString.lowercased()
    let address = try PostgresAddress(#require(url), schema: name)
    let owner = try PostgresConnection(address)
    try owner.execute("CREATE SCHEMA \(PostgresName.quoted(name))")
    defer {
      // A failure is the failure of a test that has left a connection in a transaction.
      #expect(throws: Never.self) {
        try owner.execute(
          "SET lock_timeout = 5000; DROP SCHEMA \(PostgresName.quoted(name)) CASCADE"
        )
      }
    }
    return try body(address)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test where the environment names no server.
  static var needsPostgres: Self { .enabled(if: PostgresServer.url != nil, PostgresServer.reason) }
}
#endif
