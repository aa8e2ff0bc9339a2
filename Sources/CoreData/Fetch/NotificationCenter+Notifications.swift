// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

extension NotificationCenter {
  /// The notifications of a name as they are posted, in order, for `for await`.
  ///
  /// Ours: Foundation on Linux has none. An iterator gets what is posted after it was made, and stops to
  /// observe when it is released. Source: documented, “notifications(named:object:)”.
  @_disfavoredOverload
  public func notifications(
    named name: Notification.Name,
    object: AnyObject? = nil
  ) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// The notifications of a name, posted by any object or by one.
  public struct Notifications: AsyncSequence, @unchecked Sendable {
    // Unchecked: the object is only compared; the center is safe on any thread.
    let center: NotificationCenter
    let name: Notification.Name
    let object: AnyObject?

    /// Starts to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Gives one notification after the other; it never ends by itself.
    public struct Iterator: AsyncIteratorProtocol {
      private var base: AsyncStream<Transfer<Notification>>.Iterator

      init(_ sequence: Notifications) {
        let (stream, continuation) = AsyncStream.makeStream(of: Transfer<Notification>.self)
        let token = sequence.center.addObserver(
          forName: sequence.name,
          object: sequence.object,
          queue: nil
        ) {
          // What is posted goes to the one task that iterates.
          continuation.yield(Transfer($0))
        }
        let observation = Transfer((sequence.center, token))
        continuation.onTermination = { _ in
          let (center, token) = observation.value
          center.removeObserver(token)
        }
        base = stream.makeAsyncIterator()
      }

      /// The next notification; nil where the task is cancelled.
      public mutating func next() async -> Notification? { await base.next()?.value }
    }
  }
}

/// Runs `body`; on Linux there are no autoreleased objects to release after it.
///
/// Ours, so that sources of Apple's systems compile.
@_disfavoredOverload
public func autoreleasepool<Failure: Error, Result: ~Copyable>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
#endif
