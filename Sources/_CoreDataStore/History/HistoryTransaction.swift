// SPDX-License-Identifier: Apache-2.0

/// One transaction of a store's history, without its changes.
package struct HistoryTransaction: Sendable, Hashable {
  /// Grows with each transaction of the store; never given twice.
  package var number: Int64
  /// Seconds since 2001.
  package var timestamp: Double
  package var author: String?
  package var contextName: String?
  package var bundleID: String
  /// The name of the process, as in Apple's files.
  package var processID: String

  package init(
    number: Int64,
    timestamp: Double,
    author: String?,
    contextName: String?,
    bundleID: String,
    processID: String
  ) {
    self.number = number
    self.timestamp = timestamp
    self.author = author
    self.contextName = contextName
    self.bundleID = bundleID
    self.processID = processID
  }
}
