// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Testing
import _CoreDataPostgres
import _CoreDataStore

/// A server on 127.0.0.1 that accepts every user, and reports a version and an encoding; it answers no statement.
///
/// Source: PostgreSQL, “Message Formats”.
final class OldServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let greeting: [UInt8]

  init(version: String, encoding: String) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isNamed = withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    try #require(listener >= 0 && isNamed && listen(listener, 8) == 0)
    self.listener = listener
    port = UInt16(bigEndian: place.sin_port)
    func message(_ kind: Character, _ content: [UInt8]) -> [UInt8] {
      let length = withUnsafeBytes(of: UInt32(content.count + 4).bigEndian, Array.init)
      return [kind.asciiValue ?? 0] + length + content
    }
    func parameter(_ name: String, _ value: String) -> [UInt8] {
      message("S", Array(name.utf8) + [0] + Array(value.utf8) + [0])
    }
    greeting =
      message("R", [0, 0, 0, 0]) + parameter("server_version", version)
      + parameter("server_encoding", encoding) + parameter("client_encoding", "UTF8")
      + message("Z", [UInt8(ascii: "I")])
    Thread.detachNewThread { self.serve() }
  }

  func close() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 {
        Foundation.close(listener)
        return
      }
      greet(client)
    }
  }

  /// Refuses encryption, and greets after the startup message.
  private func greet(_ client: Int32) {
    defer { Foundation.close(client) }
    while let message = startup(client) {
      let code = message.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
      // SSLRequest and GSSENCRequest.
      if code == 80_877_103 || code == 80_877_104 {
        if send(client, [UInt8(ascii: "N")], 1, 0) != 1 { return }
        continue
      }
      if send(client, greeting, greeting.count, 0) != greeting.count { return }
      // Until the client closes the connection.
      var byte: UInt8 = 0
      while recv(client, &byte, 1, 0) > 0 {}
      return
    }
  }

  private func startup(_ client: Int32) -> [UInt8]? {
    var length = [UInt8](repeating: 0, count: 4)
    guard recv(client, &length, 4, Int32(MSG_WAITALL)) == 4 else { return nil }
    let count = Int(length.reduce(0) { $0 << 8 | UInt32($1) }) - 4
    guard count >= 4, count < 10_000 else { return nil }
    var content = [UInt8](repeating: 0, count: count)
    guard recv(client, &content, count, Int32(MSG_WAITALL)) == count else { return nil }
    return content
  }
}

@Suite("Servers that a store cannot use")
struct OldServerTests {
  private func error(_ version: String, _ encoding: String) throws -> StoreError? {
    let server = try OldServer(version: version, encoding: encoding)
    defer { server.close() }
    let address = try PostgresAddress("postgresql://me@127.0.0.1:\(server.port)/data")
    return #expect(throws: StoreError.self) { try PostgresConnection(address) }
  }

  @Test("A server before version 13 is refused with both versions")
  func version() throws {
    let error = try error("12.19", "UTF8")
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("has the version 12, but a store needs version 13") == true)
  }

  @Test("A database with another encoding than UTF-8 is refused with the encoding")
  func encoding() throws {
    let error = try error("16.2", "LATIN1")
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("encoding LATIN1") == true)
  }
}
#endif
