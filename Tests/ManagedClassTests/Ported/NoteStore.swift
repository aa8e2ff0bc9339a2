// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  NoteStore.swift
//  Generations
//

import Foundation
import CoreData

extension NSManagedObjectContext {
    @nonobjc func all<T: NSManagedObject>(_ type: T.Type, sortedBy key: String) throws -> [T] {
        let request = NSFetchRequest<T>(entityName: T.entity().name ?? String(describing: T.self))
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try fetch(request)
    }
}

final class NoteStore {
    let context: NSManagedObjectContext

    init(context: NSManagedObjectContext) { self.context = context }

    func notes(labelled label: String) throws -> [Note] {
        try context.all(Note.self, sortedBy: "text").filter { note in
            (note.labels as? Set<NoteLabel> ?? []).contains { $0.title == label }
        }
    }

    func deleteAll() throws {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Attachment")
        try context.execute(NSBatchDeleteRequest(fetchRequest: request))
    }
}
