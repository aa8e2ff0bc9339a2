// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Deletions whose effect on other objects is still to come.
struct PendingDeletions {
  /// Deleted objects whose delete rules have not been applied, and some that are not deleted any more.
  var unpropagated: [GraphObject] = []
  /// Keys whose rows are gone while it is not known which relationships lead to them.
  var lost: Set<ObjectKey> = []
}
