// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Ingredient+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Ingredient)
#endif
public class Ingredient: NSManagedObject {

}
