// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import _CoreDataModel

/// Informs the observers of stores when objects are registered or unregistered in the coordinator's contexts.
///
/// Objects are unregistered in `deinit`, on any thread, so the reports are collected and delivered later, in
/// order, on the log's queue. While no store is observed, the log costs a registry one atomic read for each
/// call.
package final class RegistrationLog: Sendable {
  package enum Change: Sendable, Hashable { case registered, unregistered }
  package typealias Observer = @Sendable (Change, [ObjectKey]) -> Void

  private struct State: Sendable {
    /// Store index → the observer of the store.
    var observers: [Int: Observer] = [:]
    var waiting: [(change: Change, key: ObjectKey)] = []
    var isScheduled = false
  }
  private let active = Atomic(false)
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "CoreData.RegistrationLog")

  package init() {}

  /// Whether any store is observed.
  var isActive: Bool { active.load(ordering: .relaxed) }

  /// Calls `observer` when objects of the store are registered or unregistered; nil ends the calls.
  package func setObserver(_ observer: Observer?, ofStore index: Int) {
    state.withLock { state in
      state.observers[index] = observer
      active.store(!state.observers.isEmpty, ordering: .relaxed)
    }
  }

  /// Waits until all changes so far have been reported.
  package func waitForReports() { queue.sync {} }

  func add(_ change: Change, _ keys: some Sequence<ObjectKey>) {
    let mustSchedule = state.withLock { state in
      for key in keys where !key.isTemporary && state.observers[key.store] != nil {
        state.waiting.append((change, key))
      }
      if state.isScheduled || state.waiting.isEmpty { return false }
      state.isScheduled = true
      return true
    }
    if mustSchedule { queue.async { self.report() } }
  }

  private func report() {
    let (waiting, observers) = state.withLock { state in
      defer { state.waiting = [] }
      state.isScheduled = false
      return (state.waiting, state.observers)
    }
    var start = 0
    while start < waiting.count {
      let (change, first) = waiting[start]
      var end = start + 1
      while end < waiting.count, waiting[end].change == change,
        waiting[end].key.store == first.store
      { end += 1 }
      observers[first.store]?(change, waiting[start..<end].map(\.key))
      start = end
    }
  }
}
