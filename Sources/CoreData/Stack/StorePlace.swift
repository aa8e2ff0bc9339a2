// SPDX-License-Identifier: Apache-2.0

import _CoreDataSQLite

/// The place of a store in its coordinator, which determines the keys of the store's objects.
struct StorePlace: Sendable {
  /// The index of the store in the coordinator's list.
  var index = 0
  /// The number of the coordinator; 0 for a store without a coordinator.
  var coordinator: UInt32 = 0
  /// The type with which the store is added; nil for a store without a coordinator.
  var type: String?
  /// The model of the coordinator; nil for a store without a coordinator.
  var model: FrozenModel?
  /// The indexes of the entities in the store's configuration; nil for all entities.
  var entities: Set<Int>?
  /// The counter of executed statements; always 0 for a store without SQL.
  var statements = StatementObserver()

  /// The place of the store that a coordinator is creating; nil outside of a call that creates a store.
  ///
  /// A class of the program calls Apple's initializer, which has no parameter for the place.
  @TaskLocal static var pending: StorePlace?
}
