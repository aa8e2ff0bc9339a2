// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Attachment+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Attachment)
#endif
public class Attachment: NSManagedObject {

}
