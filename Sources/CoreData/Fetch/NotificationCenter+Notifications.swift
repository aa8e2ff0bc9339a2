// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

extension NotificationCenter {
  /// Returns the notifications with the given name in the order in which they are posted, for `for await`.
  ///
  /// Foundation on Linux does not have this method. An iterator receives the notifications posted after its
  /// creation, and stops observing when it is released.
  ///
  /// Source: documented, “notifications(named:object:)”.
  @_disfavoredOverload
  public func notifications(
    named name: Notification.Name,
    object: AnyObject? = nil
  ) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// The notifications with one name, posted by any object or by one object.
  public struct Notifications: AsyncSequence, @unchecked Sendable {
    // Unchecked: the object is only compared, and the center may be used on any thread.
    let center: NotificationCenter
    let name: Notification.Name
    let object: AnyObject?

    /// Starts observing and returns the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator over the notifications, which ends only when the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
      private var base: AsyncStream<Transfer<Notification>>.Iterator

      init(_ sequence: Notifications) {
        let (stream, continuation) = AsyncStream.makeStream(of: Transfer<Notification>.self)
        let token = sequence.center.addObserver(
          forName: sequence.name,
          object: sequence.object,
          queue: nil
        ) {
          // Each notification is delivered to the one task that iterates.
          continuation.yield(Transfer($0))
        }
        let observation = Transfer((sequence.center, token))
        continuation.onTermination = { _ in
          let (center, token) = observation.value
          center.removeObserver(token)
        }
        base = stream.makeAsyncIterator()
      }

      /// Waits for the next notification; returns nil if the task is cancelled.
      public mutating func next() async -> Notification? { await base.next()?.value }
    }
  }
}

/// Runs `body` and returns its result; there are no autoreleased objects on Linux.
///
/// Exists so that sources written for Apple's systems compile.
@_disfavoredOverload
public func autoreleasepool<Failure: Error, Result: ~Copyable>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
#endif
