// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Synchronization
import Testing

/// A proxy on 127.0.0.1 in front of the server, which cuts connections.
final class CuttingProxy: Sendable {
  /// When the next connection is cut.
  enum Cut: Sendable {
    case never
    /// When a client commits: the server gets the commit, and the client no answer.
    case afterCommit
    /// When a client commits: the server does not get the commit.
    case beforeCommit
    /// When a client commits: the server does not get the commit, and does not notice that the client is gone.
    case silently
  }
  private struct State {
    var cut = Cut.never
    var pairs: [(client: Int32, server: Int32)] = []
    var cuts = 0
    var refusals = 0
    var isClosed = false
    var isStalled = false
    /// The connections to the server that are left open.
    var left: [Int32] = []
  }
  private let state = Mutex(State())
  private let listener: Int32
  private let target: UInt16
  let port: UInt16

  /// The number of connections that were cut.
  var cuts: Int { state.withLock { $0.cuts } }

  init(to port: UInt16) throws {
    (listener, self.port) = try Self.listen()
    target = port
    Thread.detachNewThread { self.accept() }
  }

  private static func listen() throws -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = with(&place) { bind(listener, $0, size) } == 0
    let isNamed = with(&place) { getsockname(listener, $0, &size) } == 0
    try #require(listener >= 0 && isBound && isNamed && Foundation.listen(listener, 64) == 0)
    return (listener, UInt16(bigEndian: place.sin_port))
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func with(
    _ address: inout sockaddr_in,
    _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
  ) -> Int32 {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }

  func cutNext(_ cut: Cut) { state.withLock { $0.cut = cut } }

  /// Forwards nothing from now on, and keeps all connections open, as a server does that hangs.
  func stall() { state.withLock { $0.isStalled = true } }

  /// Closes the next `count` connections at once, as if no server ran.
  func refuseNext(_ count: Int) { state.withLock { $0.refusals = count } }

  /// The number of connections that are still to be refused.
  var refusals: Int { state.withLock { $0.refusals } }

  private func takeRefusal() -> Bool {
    state.withLock { state in
      if state.refusals == 0 { return false }
      state.refusals -= 1
      return true
    }
  }

  /// Cuts all connections now.
  func cutAll() {
    state.withLock { state in
      for pair in state.pairs {
        shutdown(pair.client, Int32(SHUT_RDWR))
        shutdown(pair.server, Int32(SHUT_RDWR))
      }
      state.cuts += state.pairs.count
    }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      for server in state.left { Foundation.close(server) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    cutAll()
  }

  private func accept() {
    while true {
      let client = Foundation.accept(listener, nil, nil)
      if client < 0 || state.withLock({ $0.isClosed }) {
        Foundation.close(listener)
        return
      }
      if takeRefusal() {
        Foundation.close(client)
        continue
      }
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var place = Self.address(target)
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      if Self.with(&place, { connect(server, $0, size) }) != 0 {
        Foundation.close(client)
        Foundation.close(server)
        continue
      }
      state.withLock { $0.pairs.append((client, server)) }
      Thread.detachNewThread { self.forward(client, server) }
    }
  }

  private func forward(_ client: Int32, _ server: Int32) {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    loop: while true {
      var events = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if poll(&events, 2, -1) < 0 { break }
      for (index, event) in events.enumerated() where event.revents != 0 {
        let count = read(event.fd, &bytes, bytes.count)
        if count <= 0 { break loop }
        if state.withLock({ $0.isStalled }) { continue }
        let cut = index == 0 && Self.isCommit(bytes[..<count]) ? takeCut() : .never
        if case .beforeCommit = cut { break loop }
        if case .silently = cut {
          state.withLock { state in
            state.pairs.removeAll { $0.client == client }
            state.left.append(server)
          }
          Foundation.close(client)
          return
        }
        if send(index == 0 ? server : client, bytes, count, Int32(MSG_NOSIGNAL)) != count {
          break loop
        }
        if case .afterCommit = cut { break loop }
      }
    }
    state.withLock { state in state.pairs.removeAll { $0.client == client } }
    Foundation.close(client)
    Foundation.close(server)
  }

  private static func isCommit(_ bytes: ArraySlice<UInt8>) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains("COMMIT")
  }

  private func takeCut() -> Cut {
    state.withLock { state in
      defer { state.cut = .never }
      if case .never = state.cut { return .never }
      state.cuts += 1
      return state.cut
    }
  }
}
#endif
