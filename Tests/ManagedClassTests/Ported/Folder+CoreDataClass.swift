// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Folder+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Folder)
#endif
public class Folder: NSManagedObject {

}
