// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Version numbers of Core Data")
struct VersionNumberTests {
  // The numbers after the point are not fractions: 358.12 came after 358.4.
  @Test("do not shrink from one version of a system to the next, but for what follows the point")
  func order() {
    let mac = [
      NSCoreDataVersionNumber10_4,
      NSCoreDataVersionNumber10_4_3,
      NSCoreDataVersionNumber10_5,
      NSCoreDataVersionNumber10_5_3,
      NSCoreDataVersionNumber10_6,
      NSCoreDataVersionNumber10_6_2,
      NSCoreDataVersionNumber10_6_3,
      NSCoreDataVersionNumber10_7,
      NSCoreDataVersionNumber10_7_2,
      NSCoreDataVersionNumber10_7_3,
      NSCoreDataVersionNumber10_7_4,
      NSCoreDataVersionNumber10_8,
      NSCoreDataVersionNumber10_8_2,
      NSCoreDataVersionNumber10_9,
      NSCoreDataVersionNumber10_9_2,
      NSCoreDataVersionNumber10_9_3,
      NSCoreDataVersionNumber10_10,
      NSCoreDataVersionNumber10_10_2,
      NSCoreDataVersionNumber10_10_3,
      NSCoreDataVersionNumber10_11,
      NSCoreDataVersionNumber10_11_3,
    ]
    let phone = [
      NSCoreDataVersionNumber_iPhoneOS_3_0,
      NSCoreDataVersionNumber_iPhoneOS_3_1,
      NSCoreDataVersionNumber_iPhoneOS_3_2,
      NSCoreDataVersionNumber_iPhoneOS_4_0,
      NSCoreDataVersionNumber_iPhoneOS_4_1,
      NSCoreDataVersionNumber_iPhoneOS_4_2,
      NSCoreDataVersionNumber_iPhoneOS_4_3,
      NSCoreDataVersionNumber_iPhoneOS_5_0,
      NSCoreDataVersionNumber_iPhoneOS_5_1,
      NSCoreDataVersionNumber_iPhoneOS_6_0,
      NSCoreDataVersionNumber_iPhoneOS_6_1,
      NSCoreDataVersionNumber_iPhoneOS_7_0,
      NSCoreDataVersionNumber_iPhoneOS_7_1,
      NSCoreDataVersionNumber_iPhoneOS_8_0,
      NSCoreDataVersionNumber_iPhoneOS_8_3,
      NSCoreDataVersionNumber_iPhoneOS_9_0,
      NSCoreDataVersionNumber_iPhoneOS_9_2,
      NSCoreDataVersionNumber_iPhoneOS_9_3,
    ]
    for versions in [mac, phone] {
      let whole = versions.map { $0.rounded(.down) }
      #expect(whole == whole.sorted() && Set(versions).count == versions.count)
      #expect(versions.allSatisfy { $0 < NSCoreDataVersionNumber })
    }
  }

  @Test("of the library are those that new stores name")
  func own() throws {
    let stack = try LibraryStack()
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let stored = store.metadata["NSPersistenceFrameworkVersion"] as? NSNumber
    #expect(stored?.doubleValue == NSCoreDataVersionNumber)
  }
}
