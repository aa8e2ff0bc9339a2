// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObjectContext {
  /// The number of replaced temporary keys that the context retains.
  ///
  /// Tests check that this number does not grow without limit.
  package var replacedKeyCount: Int { isConnected ? graph.replacedKeyCount : 0 }
}
