// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Testing
import _CoreDataPostgres
import _CoreDataSQL
import _CoreDataStore

@Suite(.needsPostgres)
struct PostgresConnectionTests {
  @Test("Values of every type come back as they were sent")
  func values() throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      let values: [Binding] = [
        .integer(.min), .double(0.1), .text("Ångström\n\"'"), .blob(Data([0, 1, 255])), .null,
      ]
      let statement = Statement(text: "SELECT $1, $2, $3, $4, $5::bigint", bindings: values)
      #expect(try connection.run(statement).bindings == [values])
      let special = Statement(text: "SELECT $1, $2", bindings: [.double(.infinity), .double(-0.0)])
      #expect(try connection.run(special).double(0, 0) == .infinity)
      #expect(try connection.run(special).double(0, 1).sign == .minus)
    }
  }

  @Test(
    "A decimal has the same digits in Swift and on the server",
    arguments: [
      "0", "1", "-1", "10000", "9999.9999", "0.0001", "-0.00012345",
      "123456789012345678901234567890",
      "1.5", "100000000", "0.1", "99999999999999999999999999999999999999", "1234.000001",
    ]
  )
  func decimals(_ text: String) throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      let number = try #require(Decimal(string: text))
      var fields = PostgresFields()
      fields.append(number)
      let result = try connection.run("SELECT $1, $1::text", fields)
      #expect(result.text(0, 1) == text)
      #expect(result.binding(0, 0) == .text(text))
    }
  }

  @Test("A statement is prepared once, and then takes one round trip")
  func preparation() throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      let first = connection.traffic
      try connection.run(Statement(text: "SELECT $1", bindings: [.integer(1)]))
      #expect(connection.traffic.roundTrips - first.roundTrips == 2)
      try connection.run(Statement(text: "SELECT $1", bindings: [.integer(2)]))
      #expect(connection.traffic.roundTrips - first.roundTrips == 3)
      for number in 0..<1_000 { try connection.run(Statement(text: "SELECT \(number)")) }
      let count = try connection.run("SELECT count(*) FROM pg_prepared_statements")
      #expect(count.integer(0, 0) <= 400)
    }
  }

  @Test("A pipeline sends its statements in one round trip, and gives their results in order")
  func pipeline() throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      try connection.execute("CREATE TABLE numbers (number bigint)")
      let before = connection.traffic
      var found: [Int64] = []
      try connection.pipelined { pipeline in
        for number in 0..<900 {
          let values = PostgresFields([.integer(Int64(number))])
          try pipeline.send("INSERT INTO numbers VALUES ($1) RETURNING number", values) {
            found.append($0.integer(0, 0))
          }
        }
      }
      #expect(found == Array(0..<900))
      #expect(connection.traffic.roundTrips - before.roundTrips == 1)
      #expect(connection.traffic.statements - before.statements == 900)
      #expect(try connection.run("SELECT count(*) FROM numbers").integer(0, 0) == 900)
    }
  }

  @Test("A pipeline of many megabytes in both directions ends")
  func largePipeline() throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      let text = String(repeating: "x", count: 100_000)
      var length = 0
      try connection.pipelined { pipeline in
        for _ in 0..<300 {
          try pipeline.send("SELECT $1", PostgresFields([.text(text)])) {
            length += $0.text(0, 0)?.utf8.count ?? 0
          }
        }
      }
      #expect(length == 30_000_000)
    }
  }

  @Test("After an error in a pipeline, the connection and its statements can still be used")
  func failedPipeline() throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      let error = #expect(throws: StoreError.self) {
        try connection.pipelined { pipeline in
          try pipeline.send("SELECT $1", PostgresFields([.integer(1)]))
          try pipeline.send("SELECT 1 / $1", PostgresFields([.integer(0)]))
          try pipeline.send("SELECT 1 + $1", PostgresFields([.integer(0)]))
        }
      }
      #expect(error?.serverCode == "22012")
      #expect(error?.statement == "SELECT 1 / $1")
      let sum = Statement(text: "SELECT 1 + $1", bindings: [.integer(2)])
      #expect(try connection.run(sum).bindings == [[.integer(3)]])
    }
  }

  @Test("COPY writes rows, and writes no row after an error")
  func copy() throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      try connection.execute("CREATE TABLE items (number bigint PRIMARY KEY, name text)")
      func copy(_ count: Int, from first: Int = 0, failingAt place: Int = -1) throws -> Int {
        try connection.copy(into: "items (number, name)", rows: count) { row, fields in
          if row == place { throw CancellationError() }
          fields.beginRow(fields: 2)
          fields.append(Int64(first + row))
          if row.isMultiple(of: 2) { fields.appendNull() } else { fields.append("name \(row)") }
        }
      }
      #expect(try copy(10_000) == 10_000)
      #expect(throws: CancellationError.self) { try copy(10_000, from: 10_000, failingAt: 9_000) }
      let error = #expect(throws: StoreError.self) { try copy(1) }
      #expect(error?.code == .constraint)
      let sums = try connection.run("SELECT count(*), count(name), max(number) FROM items")
      #expect(sums.bindings == [[.integer(10_000), .integer(5_000), .integer(9_999)]])
    }
  }

  @Test("A transaction whose body throws is rolled back")
  func rollback() throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      try connection.execute("CREATE TABLE numbers (number bigint)")
      #expect(throws: CancellationError.self) {
        try connection.transaction {
          try connection.run("INSERT INTO numbers VALUES (1)")
          throw CancellationError()
        }
      }
      #expect(!connection.isInTransaction)
      #expect(try connection.run("SELECT count(*) FROM numbers").integer(0, 0) == 0)
    }
  }

  @Test("A cancelled statement ends on the server, and the connection can be used again")
  func cancellation() throws {
    try PostgresServer.withSchema { address in
      let connection = try PostgresConnection(address)
      let control = FetchControl()
      control.cancel()
      let error = #expect(throws: StoreError.self) {
        try connection.run("SELECT pg_sleep(600)", control: control)
      }
      #expect(error?.code == .cancelled)
      #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
    }
  }

  @Test("A wrong password is named as such, and does not appear in the error")
  func wrongPassword() throws {
    let url = try #require(PostgresServer.url)
      .replacing("only-for-tests", with: "secret-and-wrong")
    let error = #expect(throws: StoreError.self) { try PostgresConnection(PostgresAddress(url)) }
    let text = try #require(error).description
    #expect(error?.code == .cannotOpen)
    #expect(text.contains("password authentication failed") && text.contains(".pgpass"))
    #expect(!text.contains("secret-and-wrong"))
  }

  @Test("A server that does not run and a database that does not exist are named as such")
  func noServer() throws {
    let nowhere = "postgresql://user:secret@127.0.0.1:1/database"
    let error = #expect(throws: StoreError.self) {
      try PostgresConnection(PostgresAddress(nowhere))
    }
    #expect(error?.description.contains("127.0.0.1, port 1") == true)
    #expect(error?.description.contains("secret") == false)
    let missing = try #require(PostgresServer.url).replacing("/postgres", with: "/no_database")
    let other = #expect(throws: StoreError.self) {
      try PostgresConnection(PostgresAddress(missing))
    }
    #expect(other?.description.contains("no_database") == true)
  }
}

struct PostgresAddressTests {
  @Test("The description of an address has no password")
  func descriptions() throws {
    let address = try PostgresAddress(
      "postgresql://me:p%40ss@one:1,two:2/data?target_session_attrs=read-write",
      schema: "Shop"
    )
    #expect(
      address.description
        == "postgresql://me@one:1,two:2/data?target_session_attrs=read-write, schema Shop"
    )
    #expect(try PostgresAddress("postgres://h/d?schema=a%20b&sslmode=allow").schema == "a b")
    #expect(try PostgresAddress("postgres://h/d?schema=a", schema: "b").schema == "b")
    #expect(try PostgresAddress("postgres://h/d?sslmode=allow&schema=a").schema == "a")
    #expect(try !PostgresAddress("postgres://h/d?password=abc").description.contains("abc"))
  }

  @Test("The error for a URL that cannot be read has no password")
  func damaged() {
    for url in ["postgresql://me:se%ZZcret@h/d", "postgresql://me:secret@h:1/d?nonsense=1"] {
      let error = #expect(throws: StoreError.self) { try PostgresAddress(url) }
      #expect(error?.code == .invalidRequest)
      #expect(error?.description.contains("cret") == false, "\(error.debugDescription)")
    }
    #expect(throws: StoreError.self) { try PostgresAddress("postgresql://h/d", schema: "") }
  }
}
#endif
