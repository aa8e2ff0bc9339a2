// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
/// Actions that are undone or redone together, in the reverse order of their registration.
final class UndoGroup {
  enum Action {
    case call(target: ObjectIdentifier, () -> Void)
    case group(UndoGroup)
  }
  var actions: [Action] = []
  var name: String?
  var isDiscardable = false

  var isEmpty: Bool { actions.isEmpty }

  func perform() {
    for action in actions.reversed() {
      switch action {
      case .call(_, let body): body()
      case .group(let group): group.perform()
      }
    }
  }

  func remove(_ target: ObjectIdentifier) {
    actions = actions.filter { action in
      switch action {
      case .call(let other, _): return other != target
      case .group(let group):
        group.remove(target)
        return !group.isEmpty
      }
    }
  }

  func popGroup() -> UndoGroup? {
    guard case .group(let group)? = actions.last else { return nil }
    actions.removeLast()
    return group
  }
}
#endif
