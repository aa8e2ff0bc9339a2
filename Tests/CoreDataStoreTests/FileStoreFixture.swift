// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreConformance
import Testing
import _CoreDataModel
import _CoreDataStore

/// A file of a store with the conformance model in a folder of its own, removed with it.
final class FileStoreFixture {
  let folder: URL
  let path: String
  let model: ModelDefinition
  let format: any StoreFileFormat

  init(_ format: any StoreFileFormat) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("file-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent("Store").path
    model = try ConformanceModel.make()
    self.format = format
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open(
    _ change: (inout FileStoreOptions) -> Void = { _ in },
    model: ModelDefinition? = nil
  ) throws -> FileStore {
    var options = FileStoreOptions(path: path)
    change(&options)
    return try FileStore(model: model ?? self.model, index: 1, format: format, options: options)
  }

  func entity(_ name: String) throws -> EntityDefinition { try #require(model.entity(named: name)) }

  func insert(
    _ name: String,
    _ values: [String: Value],
    _ number: Int64
  ) throws -> SaveBatch.Insert {
    let entity = try entity(name)
    let place = RowChunk.single(entity.rowLayout)
    for (key, value) in values {
      try #require(place.chunk.setValue(place.row, try #require(entity.slotByName[key]), value))
    }
    let key = ObjectKey.temporary(entity: entity.index, number: number)
    return SaveBatch.Insert(key: key, chunk: place.chunk, row: place.row)
  }

  /// Teams with players, tags and an ordered list.
  @discardableResult
  func fill(_ store: FileStore, teams: Int = 3) throws -> [ObjectKey] {
    var batch = SaveBatch()
    let tag = ObjectKey.temporary(entity: try entity("Tag").index, number: 1)
    batch.inserts.append(try insert("Tag", ["name": .text("öld & <new>")], 1))
    for team in 0..<Int64(teams) {
      let key = ObjectKey.temporary(entity: try entity("Team").index, number: team * 10 + 10)
      batch.inserts.append(
        try insert(
          "Team",
          [
            "name": .text(" Team\t\(team)\n"), "wins": .int(team), "score": .double(0.1),
            "founded": .date(-1.25), "budget": .decimal(Decimal(team) / 8),
            "isHost": .bool(team == 0), "uid": .uuid(UUID()),
            "site": .url(URL(fileURLWithPath: "/a b")), "logo": .data(Data([0, 255, 3])),
          ],
          team * 10 + 10
        )
      )
      var players: [ObjectKey] = []
      for player in 1..<Int64(4) {
        let number = team * 10 + 10 + player
        let name = player == 3 ? "Goalkeeper" : "Player"
        players.append(.temporary(entity: try entity(name).index, number: number))
        batch.inserts.append(
          try insert(
            name,
            ["shirt": .int(player), "team": .key(key), "lineupTeam": .key(key)],
            number
          )
        )
      }
      let slots = try entity("Team").slotByName
      batch.orders.append(
        .init(owner: key, slot: try #require(slots["lineup"]), members: players.reversed())
      )
      batch.links.append(
        .init(owner: key, slot: try #require(slots["tags"]), added: [tag], removed: [])
      )
    }
    return try store.save(batch).insertedKeys
  }
}
