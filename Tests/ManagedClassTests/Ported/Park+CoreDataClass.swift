// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Park+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Park)
#endif
public class Park: NSManagedObject {

}
