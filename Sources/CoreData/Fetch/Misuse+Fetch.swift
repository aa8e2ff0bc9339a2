// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Misuse {
  static func requestHasNoType(_ request: NSPersistentStoreRequest) -> Never {
    fatalError(
      "\(type(of: request)) has no requestType. Use a fetch request or a batch request, or override "
        + "requestType in the subclass."
    )
  }

  static func unreadableBatch(_ range: Range<Int>, of count: Int, _ error: any Error) -> Never {
    fatalError(
      "CoreData could not read the batch with the indices \(range) of \(CellText.objects(count)) that were "
        + "fetched lazily or as a stream: \(error). To handle such errors, use fetch(_:) with a "
        + "fetchBatchSize of 0, which reads all rows at once."
    )
  }
}
