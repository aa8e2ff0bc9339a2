// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Leash+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Leash)
#endif
public class Leash: NSManagedObject {

}
