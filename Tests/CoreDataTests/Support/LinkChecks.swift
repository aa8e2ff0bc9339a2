// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The rules on links that random laws end their rounds with.
extension LibraryStack {
  /// Ends the test where a loaded relationship of a context names an object that is deleted or gone, or
  /// where the file has a key without its row.
  ///
  /// What others saved has to be merged into the contexts; the stack's own one where none are given.
  func requireLiveLinks(
    _ place: String,
    in contexts: [NSManagedObjectContext]? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let broken = try foreignKeys?.broken() ?? []
    try #require(broken.isEmpty, "\(place): \(broken)", sourceLocation: location)
    for context in contexts ?? [context] {
      context.processPendingChanges()
      let dead = try context.checkInvariants()
      try #require(dead.isEmpty, "\(place): \(dead)", sourceLocation: location)
    }
  }
}
