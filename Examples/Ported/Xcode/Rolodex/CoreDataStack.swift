// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  CoreDataStack.swift
//  Rolodex
//
//  Created by Ada Example on 21/09/16.
//

import UIKit
import CoreData

/// The Core Data stack, with a context that reads and one that saves in the background.
class CoreDataStack: NSObject {

    static let shared = CoreDataStack()

    private let isStoredInMemory: Bool
    private(set) var numberOfSaves = 0

    init(inMemory: Bool = false) {
        isStoredInMemory = inMemory
        super.init()
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(contextDidSave(_:)),
            name: .NSManagedObjectContextDidSave,
            object: nil)
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
    }

    // The model is loaded once, because two models would both claim the classes.
    private static let model: NSManagedObjectModel = {
        let url = Bundle.main.url(forResource: "Rolodex", withExtension: "momd")!
        return NSManagedObjectModel(contentsOf: url)!
    }()

    lazy var persistentContainer: NSPersistentContainer = {
        let container = NSPersistentContainer(name: "Rolodex", managedObjectModel: CoreDataStack.model)
        if isStoredInMemory {
            container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
        }
        container.loadPersistentStores(completionHandler: { (storeDescription, error) in
            if let error = error as NSError? {
                fatalError("Unresolved error \(error), \(error.userInfo)")
            }
        })
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        return container
    }()

    var viewContext: NSManagedObjectContext { persistentContainer.viewContext }

    lazy var backgroundContext: NSManagedObjectContext = persistentContainer.newBackgroundContext()

    // MARK: - Core Data Saving support

    func saveContext() {
        let context = viewContext
        if context.hasChanges {
            do {
                try context.save()
            } catch {
                let nserror = error as NSError
                fatalError("Unresolved error \(nserror), \(nserror.userInfo)")
            }
        }
    }

    @objc private func contextDidSave(_ notification: Notification) {
        guard let context = notification.object as? NSManagedObjectContext,
              context.persistentStoreCoordinator === persistentContainer.persistentStoreCoordinator
        else { return }
        numberOfSaves += 1
        guard context !== viewContext else { return }
        viewContext.performAndWait {
            viewContext.mergeChanges(fromContextDidSave: notification)
        }
    }
}
