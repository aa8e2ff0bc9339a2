// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Recipe+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Recipe)
#endif
public class Recipe: NSManagedObject {

}
