// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Rolodex needs OpenCombine. The World Cup on a PostgreSQL database needs COREDATA_TRAITS=OpenCombine,PostgreSQL and
// libpq; the library makes the traits in this variable its default.
let traits: Set<Package.Dependency.Trait> =
  Context.environment["COREDATA_TRAITS"] == nil ? ["OpenCombine"] : [.defaults]

let package = Package(
  name: "swift-coredata-examples",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "swift-coredata", path: "..", traits: traits),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
  ],
  targets: [
    .executableTarget(
      name: "WorldCup",
      dependencies: [
        .product(name: "CoreData", package: "swift-coredata"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      resources: [
        .copy("WorldCup.xcdatamodeld"), .copy("Web"), .copy("teams.json"),
      ],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
    .executableTarget(
      name: "HitList",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")],
      resources: [.copy("HitList.xcdatamodeld")],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
    .executableTarget(
      name: "DogWalk",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")],
      resources: [.copy("DogWalk.xcdatamodeld")],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
    .executableTarget(
      name: "BowTies",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")],
      resources: [.copy("BowTies.xcdatamodeld"), .copy("SampleData.plist")],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
    .executableTarget(
      name: "BubbleTea",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")],
      resources: [.copy("BubbleTea.xcdatamodeld"), .copy("venues.json")],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
    .executableTarget(
      name: "Products",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")],
      resources: [.copy("Products.xcdatamodeld")],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
    .executableTarget(
      name: "Notes",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")],
      exclude: ["README.md", "Notes.versions"],
      resources: [
        .copy("Notes.xcdatamodeld"), .copy("Notes2ToNotes3.xcmappingmodel"),
        .copy("Notes3ToNotes4.xcmappingmodel"),
      ],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
    .target(
      name: "JSONStore",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")]
    ),
    .testTarget(
      name: "JSONStoreTests",
      dependencies: ["JSONStore", .product(name: "CoreData", package: "swift-coredata")],
      path: "Tests/JSONStore"
    ),
    .target(
      name: "Rolodex",
      dependencies: [
        .product(name: "CoreData", package: "swift-coredata"),
        .product(name: "CoreDataCompatibility", package: "swift-coredata"),
      ],
      path: "Ported/Rolodex",
      resources: [.copy("Model/Rolodex.xcdatamodeld")],
      swiftSettings: [.swiftLanguageMode(.v5)],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")]
    ),
    .testTarget(
      name: "RolodexTests",
      dependencies: [
        "Rolodex", .product(name: "CoreData", package: "swift-coredata"),
        .product(name: "CoreDataCompatibility", package: "swift-coredata"),
      ],
      path: "Ported/RolodexTests",
      swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(
      name: "PortedTests",
      dependencies: [
        "Rolodex", .product(name: "CoreDataCompatibility", package: "swift-coredata"),
        .product(name: "coredata", package: "swift-coredata"),
      ],
      path: "Tests/Ported"
    ),
    .testTarget(
      name: "NotesTests",
      dependencies: [
        "Notes", .product(name: "CoreData", package: "swift-coredata"),
        .product(name: "CoreDataTestSupport", package: "swift-coredata"),
      ],
      path: "Tests/Notes"
    ),
  ],
  swiftLanguageModes: [.v6]
)
