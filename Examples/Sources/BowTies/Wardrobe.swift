// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What the tutorial's view controller does with the bow tie on the screen.
final class Wardrobe {
  private let stack: CoreDataStack
  private var managedContext: NSManagedObjectContext { stack.managedContext }
  private var currentBowtie: Bowtie?

  init(_ stack: CoreDataStack) { self.stack = stack }

  /// The tutorial's first try: saves a bow tie, finds it again, and takes it away.
  func saveTestBowtie() throws {
    let bowtie =
      NSEntityDescription.insertNewObject(forEntityName: "Bowtie", into: managedContext) as? Bowtie
    bowtie?.name = "My bow tie"
    bowtie?.lastWorn = Date(timeIntervalSinceReferenceDate: 0)
    try stack.saveContext()

    let request = NSFetchRequest<Bowtie>(entityName: "Bowtie")
    request.predicate = NSPredicate(format: "searchKey == nil")
    let ties = try managedContext.fetch(request)
    guard let sample = ties.first else { throw CocoaError(.coreData) }
    print("Name: \(sample.name ?? ""), Worn: \(Self.text(sample.lastWorn))")
    managedContext.delete(sample)
    try stack.saveContext()
  }

  /// Fills an empty store.
  func insertSampleData() throws {
    let fetch = NSFetchRequest<Bowtie>(entityName: "Bowtie")
    fetch.predicate = NSPredicate(format: "searchKey != nil")
    if try managedContext.count(for: fetch) > 0 { return }
    guard let url = SampleTie.file(in: ProcessInfo.processInfo.environment) else {
      throw CocoaError(.fileNoSuchFile)
    }
    for tie in try SampleTie.ties(at: url) { tie.insert(into: managedContext) }
    try stack.saveContext()
  }

  /// Shows the bow tie of a segment, by its letter.
  func segmentedControl(_ title: String) throws {
    let request = NSFetchRequest<Bowtie>(entityName: "Bowtie")
    request.predicate = NSPredicate(format: "searchKey == %@", title)
    guard let found = try managedContext.fetch(request).first else {
      return print("There is no bow tie \(title).")
    }
    currentBowtie = found
    populate(found)
  }

  func wear(at date: Date) throws {
    guard let currentBowtie else { return print("Choose a bow tie first.") }
    currentBowtie.timesWorn += 1
    currentBowtie.lastWorn = date
    try stack.saveContext()
    populate(currentBowtie)
  }

  /// Rates from 0 to 5; the model refuses anything else.
  func rate(_ rating: Double) throws {
    guard let currentBowtie else { return print("Choose a bow tie first.") }
    do {
      currentBowtie.rating = rating
      try stack.saveContext()
    } catch let error as NSError
      where error.domain == NSCocoaErrorDomain
      && [NSValidationNumberTooLargeError, NSValidationNumberTooSmallError].contains(error.code)
    {
      managedContext.rollback()
      print("Could not save: a rating is from 0 to 5")
    }
    populate(currentBowtie)
  }

  private func populate(_ bowtie: Bowtie) {
    print(bowtie.name ?? "")
    print("  Rating: \(bowtie.rating)/5")
    print("  # times worn: \(bowtie.timesWorn)")
    print("  Last worn: \(Self.text(bowtie.lastWorn))")
    print("  Favorite: \(bowtie.isFavorite ? "yes" : "no")")
    let color = (bowtie.tintColor as? [Int] ?? []).map(String.init).joined(separator: " ")
    print("  Tint: \(color), photo of \(bowtie.photoData?.count ?? 0) bytes")
  }

  private static func text(_ date: Date?) -> String {
    date.map(ISO8601DateFormatter().string(from:)) ?? "never"
  }
}
