// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Recipe+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Recipe {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Recipe> {
        return NSFetchRequest<Recipe>(entityName: "Recipe")
    }

    @NSManaged public var name: String?
    @NSManaged public var servings: Int16
    @NSManaged public var keywords: [String]?
    @NSManaged public var ingredients: NSSet?

}

// MARK: Generated accessors for ingredients
extension Recipe {

    #if canImport(ObjectiveC)
    @objc(addIngredientsObject:)
    #endif
    @NSManaged public func addToIngredients(_ value: Ingredient)

    #if canImport(ObjectiveC)
    @objc(removeIngredientsObject:)
    #endif
    @NSManaged public func removeFromIngredients(_ value: Ingredient)

    #if canImport(ObjectiveC)
    @objc(addIngredients:)
    #endif
    @NSManaged public func addToIngredients(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeIngredients:)
    #endif
    @NSManaged public func removeFromIngredients(_ values: NSSet)

}

extension Recipe : Identifiable {

}
