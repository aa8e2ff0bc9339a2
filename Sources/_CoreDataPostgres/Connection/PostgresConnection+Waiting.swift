// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataStore

/// Everything that waits for the server, so that a server that hangs is noticed; see `PostgresSilence`.
extension PostgresConnection {
  /// The time for which a statement that was cancelled may go on before the connection is given up.
  private static let cancellationLimit = Duration.seconds(2)

  /// Waits until results can be read without waiting; cancels the statement on the server if `control` says so.
  ///
  /// - Returns: whether the statement was cancelled.
  /// - Throws: `StoreError` of a lost connection, also if the server hangs; `.cancelled` if the server does not
  ///   end a statement that `control` has cancelled.
  @discardableResult
  func wait(_ control: FetchControl?, _ text: String) throws -> Bool {
    try flush(text)
    var cancelled: ContinuousClock.Instant?
    while PQisBusy(handle) != 0 {
      // `check()` throws the error of a cancellation; the error that the server reports is replaced by it.
      if cancelled == nil, let control, (try? control.check()) == nil {
        // The error of the cancelled statement follows as its result.
        cancelled = .now
        cancel()
      }
      if let cancelled, .now - cancelled > Self.cancellationLimit {
        giveUp("the server does not end a statement that was cancelled")
      }
      guard isOpen, poll(POLLIN, milliseconds: control == nil ? -1 : 10),
        PQconsumeInput(handle) != 0
      else {
        try control?.check()
        throw lostConnection(text)
      }
    }
    return cancelled != nil
  }

  /// Waits for the next result and returns it; nil after the last one.
  ///
  /// After an error, `result` is cleared.
  /// - Throws: as `wait(_:_:)`.
  func nextResult(
    of text: String,
    _ control: FetchControl? = nil,
    dropping result: OpaquePointer? = nil
  ) throws -> OpaquePointer? {
    do {
      try wait(control, text)
    } catch {
      PQclear(result)
      throw error
    }
    return PQgetResult(handle)
  }

  /// Waits until everything is sent.
  ///
  /// - Throws: `StoreError` of a lost connection, also if the server hangs.
  func flush(_ text: String) throws {
    while true {
      let left = PQflush(handle)
      if left == 0 { return }
      // The server may stop reading until what it has sent is read.
      guard left > 0, poll(POLLIN | POLLOUT, milliseconds: -1), PQconsumeInput(handle) != 0 else {
        throw lostConnection(text)
      }
    }
  }

  /// Reads and drops the results of what was sent.
  func drain() {
    // A connection that is lost meanwhile has no more results.
    while let result = try? nextResult(of: "") {
      PQclear(result)
      if !isOpen { return }
    }
  }

  /// Asks the server to cancel the running statement; the connection can then be used again.
  ///
  /// A server that does not accept the question in time loses the connection, because it could otherwise cancel
  /// a later statement.
  func cancel() {
    guard let request = PQgetCancel(handle) else { return }
    let cancellation = PostgresCancellation(request)
    if !cancellation.isSent(within: Self.cancellationLimit) {
      giveUp("the server does not accept the cancellation of a statement")
    }
  }

  /// Waits until the socket is ready for one of `events`, or the time is over, and returns true; returns false if
  /// the connection is lost, or if the server hangs.
  ///
  /// A negative time is none: the wait ends only when the socket is ready or the server hangs.
  func poll(_ events: Int32, milliseconds: Int32) -> Bool {
    while isOpen {
      var socket = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      if socket.fd < 0 { return false }
      let slice = milliseconds < 0 ? silence.tick : milliseconds
      let count = Foundation.poll(&socket, 1, slice)
      if count > 0 {
        silence.begin()
        return true
      }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      if let reason = silence.reasonToEnd({ question() }) {
        // The answer may have come while the server was asked.
        socket.revents = 0
        if Foundation.poll(&socket, 1, 0) > 0 { continue }
        giveUp("\(address.server) has sent nothing for \(silence.seconds) seconds, and \(reason)")
        return false
      }
      if milliseconds >= 0 { return true }
    }
    return false
  }

  /// Asks the server that this connection is connected to about its process.
  private func question() -> PostgresQuestion {
    func text(_ value: UnsafeMutablePointer<CChar>?) -> String? {
      value.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    var place: [(keyword: String, value: String)] = []
    for (keyword, value) in [
      ("host", text(PQhost(handle))), ("hostaddr", text(PQhostaddr(handle))),
      ("port", text(PQport(handle))),
    ] {
      if let value { place.append((keyword, value)) }
    }
    return PostgresQuestion(about: process, at: address, place)
  }
}

/// A request to cancel a statement, which is sent on a thread of its own, because libpq sends it without a limit.
private final class PostgresCancellation: Sendable {
  private let end = DispatchSemaphore(value: 0)

  /// Frees the request when it is sent.
  init(_ request: OpaquePointer) {
    // The pointer is used by the new thread only.
    nonisolated(unsafe) let request = request
    Thread.detachNewThread { [end] in
      var reason = [CChar](repeating: 0, count: 256)
      _ = PQcancel(request, &reason, 256)
      PQfreeCancel(request)
      end.signal()
    }
  }

  func isSent(within limit: Duration) -> Bool {
    end.wait(timeout: .now() + .seconds(Int(limit.components.seconds))) == .success
  }
}
#endif
