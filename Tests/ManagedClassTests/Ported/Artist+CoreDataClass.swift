// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Artist+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Artist)
#endif
public class Artist: NSManagedObject {

}
