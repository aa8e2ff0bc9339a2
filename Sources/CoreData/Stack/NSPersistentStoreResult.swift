// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a request gave; a subclass says it.
///
/// Source: documented, “NSPersistentStoreResult”.
open class NSPersistentStoreResult: NSObject {
  override init() { super.init() }
}
