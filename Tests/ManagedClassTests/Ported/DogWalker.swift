// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  DogWalker.swift
//  Generations
//

import CoreData
#if canImport(Combine)
import Combine // for a publisher that is gone
#endif

extension Dog {
    private static let key = "#keyPath(Dog.name)"

    static func named(_ name: String, in context: NSManagedObjectContext) throws -> Dog? {
        let request = NSFetchRequest<Dog>(entityName: "Dog")
        request.predicate = NSPredicate(format: "\("name") == %@ AND \("leash.length") > 1", name)
        request.fetchLimit = 1
        return try context.fetch(request).first
    }

    #if canImport(ObjectiveC)
    @objc(walkCount)
    #endif
    var walkCount: Int { walks?.count ?? 0 }

    #if canImport(ObjectiveC)
    @objc
    #endif
    class func keyPathsForValuesAffectingWalkCount() -> Set<String> { ["walks"] }
}
