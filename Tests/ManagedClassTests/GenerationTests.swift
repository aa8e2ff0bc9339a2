// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Classes in the forms that Xcode has written since 2014, after `coredata port --write`, and code that uses them.
///
/// `PortedSources` in `CoreDataCommandTests` has the sources before the rewriting; its tests port them again and
/// compare.
@Suite(.serialized) @MainActor
struct GenerationTests {
  let container: NSPersistentContainer
  var context: NSManagedObjectContext { container.viewContext }

  init() throws {
    let url = try #require(
      Bundle.module.url(forResource: "Generations", withExtension: "xcdatamodeld")
    )
    let model = try #require(NSManagedObjectModel(contentsOf: url))
    container = NSPersistentContainer(name: "Generations", managedObjectModel: model)
    let folder = FileManager.default.temporaryDirectory
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(
        url: folder.appendingPathComponent("generations-\(UUID().uuidString).sqlite")
      )
    ]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }

  private func saveAndForget() throws {
    try context.save()
    context.reset()
  }

  private func first<Object: NSManagedObject>(_ type: Object.Type) throws -> Object {
    try #require(
      try context.fetch(NSFetchRequest<Object>(entityName: "\(type)")).first
    )
  }

  @Test func eachEntityHasItsClass() throws {
    let entities = container.managedObjectModel.entities
    #expect(entities.count == 25)
    for entity in entities {
      let name = try #require(entity.name)
      let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
      #expect("\(type(of: object))" == name)
    }
    try saveAndForget()
  }

  @Test func classesOf2014() throws {
    let employee = Employee(context: context)
    let department = Department(context: context)
    employee.name = "Grace"
    employee.hired = NSDate(timeIntervalSinceReferenceDate: 3)
    employee.salary = 12
    employee.photo = NSData(data: Data([1, 2]))
    employee.department = department
    department.title = "Navy"
    department.budget = NSDecimalNumber(string: "1.5")
    try saveAndForget()
    let read = try #require(
      try EmployeeQueries().employees(inDepartment: "Navy", context: context).first
    )
    #expect(read.name == "Grace" && read.salary == 12 && read.photo.length == 2)
    #expect(read.hired.timeIntervalSinceReferenceDate == 3)
    #expect(read.department?.budget == 1.5 && read.department?.employees.count == 1)
  }

  @Test func classesOf2015() throws {
    let team = Team(context: context)
    let player = Player(context: context)
    team.imageName = "kiwi"
    team.wins = 3
    team.players = [player]
    player.height = 1.8
    try saveAndForget()
    let list = TeamList(context: context)
    try list.controller.performFetch()
    let read = try #require(list.controller.fetchedObjects?.first)
    #expect(list.controller.sections?.first?.name == "kiwi")
    #expect(read.wins == 3 && read.founded == nil)
    #expect((read.players?.firstObject as? Player)?.height == 1.8)
  }

  private final class Watcher: TeamListDelegate {
    var changes = 0
    func teamListDidChange(_ list: TeamList) { changes += 1 }
  }

  @Test func aPortedProtocolIsADelegate() throws {
    let list = TeamList(context: context)
    let watcher = Watcher()
    list.delegate = watcher
    try list.controller.performFetch()
    Team(context: context).wins = 1
    context.processPendingChanges()
    #expect(watcher.changes == 1)
  }

  @Test func classesOf2016() throws {
    let dog = Dog(context: context)
    dog.name = "Rex"
    dog.isGood = true
    dog.addToWalks(NSSet(array: [Walk(context: context), Walk(context: context)]))
    let leash = Leash(context: context)
    leash.length = 2
    dog.leash = leash
    try saveAndForget()
    let read = try #require(try Dog.named("Rex", in: context))
    #expect(read.isGood && read.walkCount == 2 && read.leash?.length == 2)
    #expect(try Dog.named("Rover", in: context) == nil)
    let request: NSFetchRequest<Park> = Park.fetchRequest()
    #expect(try context.count(for: request) == 0)
  }

  @Test func classesOf2018() throws {
    let folder = Folder(context: context)
    for text in ["b", "a"] {
      let note = Note(context: context)
      note.text = text
      note.link = URL(string: "https://example.org/\(text)")
      folder.insertIntoNotes(note, at: 0)
    }
    let label = NoteLabel(context: context)
    label.title = "new"
    label.addToNotes(try #require(folder.notes?.firstObject as? Note))
    Attachment(context: context).bytes = Data([7])
    try saveAndForget()
    let store = NoteStore(context: context)
    #expect(try store.notes(labelled: "new").map(\.text) == ["a"])
    #expect(try first(Folder.self).notes?.compactMap { ($0 as? Note)?.text } == ["a", "b"])
    try store.deleteAll()
    #expect(try context.count(for: Attachment.fetchRequest() as NSFetchRequest<Attachment>) == 0)
  }

  @Test func classesOf2020() throws {
    let album = Album(context: context)
    let artist = Artist(context: context)
    artist.addToAlbums(album)
    let songs = (0..<3).map { place in
      let song = Song(context: context)
      song.id = UUID()
      song.title = "\(place)"
      return song
    }
    album.addToSongs(NSOrderedSet(array: songs))
    album.removeFromSongs(at: 1)
    #expect(songs.map(\.id).count == 3 && songs[1].album == nil)
    try saveAndForget()
    let read = try first(Album.self)
    #expect(read.songs?.compactMap { ($0 as? Song)?.title } == ["0", "2"])
    #expect(read.artist?.albums?.count == 1)
  }

  @Test func classesOf2023() throws {
    let recipe = Recipe(context: context)
    recipe.keywords = ["soup", "quick"]
    recipe.servings = 4
    let ingredient = Ingredient(context: context)
    ingredient.amount = 0.5
    recipe.addToIngredients(ingredient)
    try saveAndForget()
    let read = try first(Recipe.self)
    #expect(read.keywords == ["soup", "quick"] && read.servings == 4)
    #expect((read.ingredients as? Set<Ingredient>)?.first?.amount == 0.5)
  }

  @Test func classesOf2025() throws {
    let cat = Cat(context: context)
    cat.lives = 9
    let toys = CatCoreDataPropertiesSet(array: [Toy(context: context)])
    cat.addToToys(toys)
    try saveAndForget()
    let read = try first(Cat.self)
    #expect(read.lives == 9 && read.toys?.count == 1)
  }

  @Test func aClassWithARequiredInitializerAndAnotherKey() throws {
    let track = Track(context: context)
    #expect(track.number == 8 && track.identifier != nil)
    track.renumber()
    #expect(track.shownNumber == "No. 9")
    try saveAndForget()
    #expect(try first(Track.self).value(forKey: "trackNumber") as? Int16 == 9)
  }
}
