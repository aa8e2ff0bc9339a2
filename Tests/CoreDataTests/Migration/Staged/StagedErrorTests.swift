// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Stages and stores that staged migration refuses: the error says why, and the store stays as it was.
@Suite struct StagedErrorTests {
  private func refusal(
    _ store: StagedStore,
    to version: Int = 3,
    _ stages: [NSMigrationStage],
    options: [AnyHashable: Any] = [:]
  ) throws -> NSError {
    let before = try SQLFile(url: store.url).content()
    let error = #expect(throws: NSError.self) {
      try store.migrate(to: version, stages, options: options)
    }
    #expect(try SQLFile(url: store.url).content() == before)
    return try #require(error)
  }

  @Test("STG-2: a store whose version is in no stage is refused")
  func unknownStore() throws {
    let error = try refusal(StagedStore(1), [StagedModels.custom(2, 3)])
    #expect(error.code == NSManagedObjectModelReferenceNotFoundError)
    #expect(
      error.localizedDescription == "Cannot use staged migration with an unknown model version."
    )
    let reason = try #require(error.localizedFailureReason)
    #expect(reason.hasPrefix("The store was created with the version \(StagedModels.checksum(1))"))
  }

  @Test("STG-2: a model whose version is in no stage is refused")
  func unknownModel() throws {
    let error = try refusal(StagedStore(1), to: 4, [StagedModels.custom(1, 2)])
    #expect(error.code == NSManagedObjectModelReferenceNotFoundError)
    #expect(error.localizedFailureReason?.contains("append a stage that ends with it") == true)
  }

  @Test("STG-2: a store with the model's version opens whatever the stages are")
  func current() throws {
    let store = try StagedStore(3)
    let stage = StagedModels.custom(1, 2)
    stage.willMigrateHandler = { _, _ in Issue.record("a handler ran") }
    #expect(try store.migrate(to: 3, [stage]).count == 2)
  }

  @Test("STG-2: a store without a checksum is refused")
  func noChecksum() throws {
    let store = try StagedStore(1)
    let file = SQLFile(url: store.url)
    try store.open(StagedModels.model(1)) { _ in }
    try file.removeMetadata(NSPersistentStoreModelVersionChecksumKey)
    let error = try refusal(store, [StagedModels.custom(1, 2), StagedModels.lightweight(3)])
    #expect(error.code == NSStagedMigrationFrameworkVersionMismatchError)
    // The way out that the error names.
    try store.migrate(to: 2, nil)
    let stages = [StagedModels.custom(1, 2), StagedModels.lightweight(3)]
    #expect(try store.migrate(to: 3, stages).count == 2)
  }

  @Test("STG-3: two stages with one version are refused, also when the store is current")
  func duplicates() throws {
    let stages = [StagedModels.lightweight(1, 2), StagedModels.lightweight(2, 3)]
    for version in [1, 3] {
      let error = try refusal(StagedStore(version), stages)
      #expect(error.code == NSMigrationError)
      #expect(
        error.localizedDescription == "Duplicate version checksums across stages detected."
      )
      #expect(error.localizedFailureReason?.contains("is in stage 1 and in stage 2. ") == true)
    }
  }

  @Test("STG-4: a reference whose model has another checksum is refused")
  func wrongChecksum() throws {
    let stage = NSCustomMigrationStage(
      migratingFrom: NSManagedObjectModelReference(
        model: StagedModels.model(4),
        versionChecksum: StagedModels.checksum(1)
      ),
      to: StagedModels.reference(2)
    )
    let error = try refusal(StagedStore(1), to: 2, [stage])
    #expect(error.code == NSManagedObjectModelReferenceNotFoundError)
    #expect(error.localizedFailureReason?.contains(StagedModels.checksum(4)) == true)
  }

  @Test("A store that is opened read-only is refused with the steps")
  func readOnly() throws {
    let stage = StagedModels.custom(1, 2)
    stage.label = "Nicknames"
    let error = try refusal(
      StagedStore(1),
      [stage, StagedModels.lightweight(3)],
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    #expect(error.code == NSMigrationError)
    #expect(error.localizedFailureReason?.contains("(custom stage “Nicknames”)") == true)
  }

  @Test("An option whose value is not a manager is refused")
  func wrongValue() throws {
    let error = #expect(throws: NSError.self) {
      try StagedStore(1).migrate(
        to: 2,
        nil,
        options: [NSPersistentStoreStagedMigrationManagerOptionKey: "manager"]
      )
    }
    #expect(error?.code == NSPersistentStoreOperationError)
  }

  @Test("Without the option to migrate, the stages have no effect")
  func notAsked() throws {
    let store = try StagedStore(1)
    let manager = NSStagedMigrationManager([StagedModels.custom(1, 2)])
    let error = #expect(throws: NSError.self) {
      try store.open(
        StagedModels.model(2),
        options: [NSPersistentStoreStagedMigrationManagerOptionKey: manager]
      ) { _ in }
    }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
  }
}

extension SQLFile {
  /// Removes a key of Apple's from the store's metadata.
  fileprivate func removeMetadata(_ key: String) throws {
    let hex = try texts("SELECT hex(Z_PLIST) FROM Z_METADATA")[0]
    var bytes = Data()
    var rest = hex[...]
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    var values = try #require(
      PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
    )
    values[key] = nil
    let plist = try PropertyListSerialization.data(
      fromPropertyList: values,
      format: .binary,
      options: 0
    )
    let text = plist.map { String(format: "%02X", $0) }.joined()
    try run("UPDATE Z_METADATA SET Z_PLIST = x'\(text)'")
  }
}
