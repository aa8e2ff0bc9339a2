// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObjectContext {
  /// The number of replaced temporary keys that the context keeps.
  ///
  /// For tests of growth.
  package var replacedKeyCount: Int { isConnected ? graph.replacedKeyCount : 0 }
}
