// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Deletions whose effects on other objects are still pending.
struct PendingDeletions {
  /// Deleted objects whose delete rules were not applied yet; may contain objects that are not deleted any
  /// more.
  var unpropagated: [GraphObject] = []
  /// Keys whose rows are gone while the relationships that lead to them are unknown.
  var lost: Set<ObjectKey> = []
}
