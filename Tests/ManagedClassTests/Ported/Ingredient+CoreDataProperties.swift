// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Ingredient+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Ingredient {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Ingredient> {
        return NSFetchRequest<Ingredient>(entityName: "Ingredient")
    }

    @NSManaged public var name: String?
    @NSManaged public var amount: Float
    @NSManaged public var recipe: Recipe?

}

extension Ingredient : Identifiable {

}
