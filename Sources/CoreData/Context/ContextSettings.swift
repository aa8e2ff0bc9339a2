// SPDX-License-Identifier: Apache-2.0

import Foundation

struct ContextSettings {
  var name: String?
  var transactionAuthor: String?
  let userInfo = NSMutableDictionary()
  var mergePolicy: Any = NSErrorMergePolicy
  var propagatesDeletesAtEndOfEvent = true
  var shouldDeleteInaccessibleFaults = true
  var stalenessInterval: TimeInterval = -1
  var retainsRegisteredObjects = false
}
