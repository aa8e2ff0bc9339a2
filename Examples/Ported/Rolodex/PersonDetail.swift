// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  PersonDetail.swift
//  Rolodex
//
//  Created by Ada Example on 11.11.20.
//

#if canImport(Combine)
import Combine
#else
import CoreDataCompatibility
#endif
import CoreData

/// One person, edited in a context of its own until the changes are saved.
final class PersonDetail: ObservableObject {

    let person: Person
    @Published private(set) var title = ""
    private let context: NSManagedObjectContext
    private var cancellables = Set<AnyCancellable>()

    init(_ id: NSManagedObjectID, parent: NSManagedObjectContext) throws {
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.parent = parent
        person = try context.existingObject(with: id) as! Person
        person.publisher(for: \.lastName)
            .map { $0 ?? "" }
            .removeDuplicates()
            .sink { [weak self] in self?.title = $0 }
            .store(in: &cancellables)
        person.objectWillChange
            .sink { [weak self] in self?.objectWillChange.send() }
            .store(in: &cancellables)
    }

    func save() throws {
        guard context.hasChanges else { return }
        try context.save()
        try context.parent?.save()
    }
}
