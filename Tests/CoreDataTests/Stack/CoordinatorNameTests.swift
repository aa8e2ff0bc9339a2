// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing

@Suite struct CoordinatorNameTests {
  @Test func aCoordinatorsNameCanBeReadAndSetOnAnyThread() async throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    #expect(coordinator.name == nil)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for turn in 0..<20_000 {
            if task.isMultiple(of: 2) {
              // Long enough to live on the heap.
              coordinator.name = "the coordinator of task \(task) in turn \(turn)"
            } else if let name = coordinator.name {
              #expect(name.hasPrefix("the coordinator of task "))
            }
          }
        }
      }
    }
  }
}
