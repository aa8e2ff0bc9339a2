// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObjectContext {
  /// The number of replaced temporary keys that the context retains.
  ///
  /// For tests of memory growth.
  package var replacedKeyCount: Int { isConnected ? graph.replacedKeyCount : 0 }
}
