// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// A store's copy of its model.
struct ModelCopy: Sendable {
  let draft: ModelDraft
  let definition: ModelDefinition
}

/// The copy of a model that was read last.
///
/// A store that is migrated when it is added is asked for its copy several times: for the differences from the
/// new model, for the source of the migration, and again inside the transaction.
package final class ModelCopies: Sendable {
  private struct Known: Sendable {
    let content: Data
    let copy: ModelCopy
  }
  private let last = Mutex<Known?>(nil)
  @TaskLocal static var current: ModelCopies?

  private init() {}

  /// Runs `body`, in which a copy of the same content is decoded once.
  package static func shared<T>(in body: () throws -> T) rethrows -> T {
    try $current.withValue(ModelCopies(), operation: body)
  }

  func copy(of content: Data) -> ModelCopy? {
    last.withLock { $0?.content == content ? $0?.copy : nil }
  }

  func add(_ copy: ModelCopy, of content: Data) {
    last.withLock { $0 = Known(content: content, copy: copy) }
  }
}
