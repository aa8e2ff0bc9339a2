// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  TeamList.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc
#endif
protocol TeamListDelegate: AnyObject {
    func teamListDidChange(_ list: TeamList)
}

#if canImport(ObjectiveC)
@objcMembers
#endif
final class TeamList: NSObject, NSFetchedResultsControllerDelegate {
    weak var delegate: TeamListDelegate?
    let controller: NSFetchedResultsController<Team>

    init(context: NSManagedObjectContext) {
        let request = NSFetchRequest<Team>(entityName: "Team")
        request.sortDescriptors = [
            NSSortDescriptor(key: "wins", ascending: false),
            NSSortDescriptor(key: "imageName", ascending: true), // not #keyPath(Team.players)
        ]
        controller = NSFetchedResultsController(fetchRequest: request, managedObjectContext: context,
                                                sectionNameKeyPath: "imageName", cacheName: nil)
        super.init()
        controller.delegate = self
    }

    #if canImport(ObjectiveC)
    @objc
    #endif
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        delegate?.teamListDidChange(self)
    }
}
