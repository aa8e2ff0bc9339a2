// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Core Data's errors")
struct ErrorTests {
  @Test("have Apple's codes, texts of keys and accessors")
  func validation() throws {
    let error = ValidationErrors.make(
      NSValidationMissingMandatoryPropertyError,
      object: nil,
      key: "name",
      value: nil
    )
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == 1570)
    #expect(error.userInfo["NSValidationErrorKey"] as? String == "name")
    let typed = try #require(error as Error as? CocoaError)
    #expect(typed.code == .validationMissingMandatoryProperty)
    #expect(typed.validationKey == "name")
  }

  @Test("are combined into one with all the details")
  func combination() throws {
    let one = ValidationErrors.make(
      NSValidationNumberTooLargeError,
      object: nil,
      key: "wins",
      value: 9
    )
    let two = ValidationErrors.make(
      NSValidationStringTooShortError,
      object: nil,
      key: "name",
      value: ""
    )
    #expect(ValidationErrors.combined([]) == nil)
    #expect(ValidationErrors.combined([one]) === one)
    let both = try #require(ValidationErrors.combined([one, two]))
    #expect(both.code == NSValidationMultipleErrorsError)
    let all = try #require(ValidationErrors.combined([both, one]))
    #expect((all.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code) == [1610, 1670, 1610])
  }

  @Test("have a help anchor, which is the path of the documentation of their code")
  func helpAnchor() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    let unknownType = try #require(throws: (any Error).self) {
      try coordinator.addPersistentStore(
        ofType: "Paper",
        configurationName: nil,
        at: nil,
        options: nil
      )
    }
    #expect((unknownType as NSError).helpAnchor == "docs/errors/README.md#134000")

    let missingFile = try #require(throws: (any Error).self) {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite,
        at: URL(fileURLWithPath: "/a folder that does not exist/a.sqlite")
      )
    }
    #expect((missingFile as NSError).helpAnchor == "docs/errors/README.md#260")
    #expect((missingFile as? CocoaError)?.code == .fileReadNoSuchFile)
  }

  @Test("have no help anchor if the model chose their code")
  func ownCode() {
    let error = ValidationErrors.make(7, object: nil, key: "name", value: "")
    #expect(error.code == 7 && error.helpAnchor == nil)
  }
}
