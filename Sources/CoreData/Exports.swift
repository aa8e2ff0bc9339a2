// SPDX-License-Identifier: Apache-2.0

// Core Data's API uses Foundation's types, so one import provides both, as on Apple's systems.
@_exported import Foundation
