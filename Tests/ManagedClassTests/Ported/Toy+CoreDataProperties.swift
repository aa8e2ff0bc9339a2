// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Toy+CoreDataProperties.swift
//  Generations
//

public import Foundation
public import CoreData


public typealias ToyCoreDataPropertiesSet = NSSet

extension Toy {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Toy> {
        return NSFetchRequest<Toy>(entityName: "Toy")
    }

    @NSManaged public var name: String?
    @NSManaged public var isLoud: Bool
    @NSManaged public var cat: Cat?

}

extension Toy : Identifiable {

}
