// SPDX-License-Identifier: Apache-2.0

import FlyingSocks

/// The bytes of server-sent events, which are sent as soon as an event is there.
struct EventBytes: AsyncBufferedSequence {
  typealias Element = UInt8

  let events: AsyncStream<ListEvent>
  let text: @Sendable (ListEvent) throws -> String

  func makeAsyncIterator() -> Iterator {
    // The browser connects again half a second after a lost connection.
    let first = Array("retry: 500\n\n".utf8)
    return Iterator(events: events.makeAsyncIterator(), text: text, rest: first[...])
  }

  struct Iterator: AsyncBufferedIteratorProtocol {
    fileprivate var events: AsyncStream<ListEvent>.Iterator
    fileprivate let text: (ListEvent) throws -> String
    /// The bytes of the last event that have not been sent.
    fileprivate var rest: ArraySlice<UInt8>

    mutating func next() async throws -> UInt8? {
      try await nextBuffer(suggested: 1)?.first
    }

    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      if rest.isEmpty {
        guard let event = await events.next() else { return nil }
        rest = Array(try text(event).utf8)[...]
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
