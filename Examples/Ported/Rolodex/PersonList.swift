// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  PersonList.swift
//  Rolodex
//
//  Created by Ada Example on 11.11.20.
//

#if canImport(SwiftUI)
import SwiftUI
#else
import CoreDataCompatibility
#endif
import CoreData

/// The people that a list shows, sorted by name, and only those that the search text finds.
final class PersonList: NSObject, ObservableObject, NSFetchedResultsControllerDelegate {

    @Published private(set) var people: [Person] = []
    @Published var searchText = ""

    private let controller: NSFetchedResultsController<Person>

    init(context: NSManagedObjectContext) {
        controller = NSFetchedResultsController(
            fetchRequest: Person.sortedByName(),
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil)
        super.init()
        controller.delegate = self
        fetch()
    }

    func search(_ text: String) {
        searchText = text
        controller.fetchRequest.predicate = text.isEmpty ? nil : NSPredicate(
            format: "%K CONTAINS[cd] %@ OR %K CONTAINS[cd] %@",
            "firstName", text, "lastName", text)
        fetch()
    }

    private func fetch() {
        do {
            try controller.performFetch()
            people = controller.fetchedObjects ?? []
        } catch {
            print("The people cannot be fetched: \(error)")
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        people = self.controller.fetchedObjects ?? []
    }
}
