// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel
import _CoreDataSQLite

/// Stores whose model has another expression for a derived attribute.
@Suite struct ChangedDerivationTests {
  private let text = #"optional="YES" attributeType="String""#

  private func draft(_ body: String) throws -> ModelDraft {
    try InferredMigrationTests.draft(body)
  }

  @Test("A changed derivation is another version, and its values are computed anew")
  func changedDerivation() throws {
    func team(_ derivation: String) -> String {
      "<entity name=\"Team\"><attribute name=\"name\" \(text)/><attribute name=\"key\" \(text) "
        + "derived=\"YES\" derivationExpression=\"\(derivation)\"/></entity>"
    }
    let file = try MigratedFile()
    let (old, new) = (try draft(team("uppercase:(name)")), try draft(team("canonical:(name)")))
    try file.open(old) { context, _ in
      let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
      team.setValue("Älvsjö", forKey: "name")
      try context.save()
    }
    let error = #expect(throws: NSError.self) { try file.content(new) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.contains("Team.key: derivation uppercase(name) → canonical:(name)"), "\(reason)")
    try file.migrate(to: new)
    #expect(try file.content(new).objects["Team/p1"]?.values["key"] == "alvsjo")
    try file.open(new) { context, _ in
      let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
      team.setValue("Ñandú", forKey: "name")
      try context.save()
      context.refresh(team, mergeChanges: false)
      #expect(team.value(forKey: "key") as? String == "nandu")
    }
  }

  @Test(
    "A store with a derived attribute opens with the model that created it",
    arguments: [
      "name", "uppercase:(name)", "uppercase: ( name )", "canonical:(captain.name)", "captain.name",
      "players.@count", "players.wins.@sum", "players.@sum.wins", "now()", " now() ",
      "count:(players)", "sum:(players.wins)",
    ]
  )
  func derivationInArchives(_ derivation: String) throws {
    let type = ["name", "captain"].contains { derivation.contains($0) } ? "String" : "Integer 64"
    let draft = try draft(
      "<entity name=\"Team\"><attribute name=\"name\" \(text)/>"
        + "<relationship name=\"captain\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"Player\"/>"
        + "<relationship name=\"players\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Player\" "
        + "inverseName=\"team\" inverseEntity=\"Player\"/><attribute name=\"key\" optional=\"YES\" "
        + "attributeType=\"\(derivation.contains("now") ? "Date" : type)\" derived=\"YES\" "
        + "derivationExpression=\"\(derivation)\"/></entity>"
        + "<entity name=\"Player\"><attribute name=\"name\" \(text)/>"
        + "<attribute name=\"wins\" optional=\"YES\" attributeType=\"Integer 64\"/>"
        + "<relationship name=\"team\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"Team\" "
        + "inverseName=\"players\" inverseEntity=\"Team\"/></entity>"
    )
    let file = try MigratedFile()
    try file.open(draft) { _, _ in }
    _ = try file.content(draft)
    let version = try StoreVersion.read(path: file.url.path)
    let copy = try #require(version.copy)
    #expect(ModelHashes(model: copy).byEntity == version.hashes)
  }
}
