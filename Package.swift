// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "swift-coredata",
  products: [
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "CoreDataTestSupport", targets: ["CoreDataTestSupport"]),
    .executable(name: "coredata", targets: ["CoreDataCommand"]),
    .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .target(name: "CObjectLifetime"),

    .target(name: "CoreDataModel", dependencies: ["CZlib"]),
    .target(name: "CoreDataPredicate", dependencies: ["CoreDataModel"]),
    .target(name: "CoreDataStore", dependencies: ["CoreDataModel", "CoreDataPredicate"]),
    .target(
      name: "CoreDataSQL",
      dependencies: ["CoreDataModel", "CoreDataPredicate", "CoreDataStore"]
    ),
    .target(
      name: "CoreDataSQLite",
      dependencies: [
        "CSQLite", "CoreDataModel", "CoreDataPredicate", "CoreDataStore", "CoreDataSQL",
      ]
    ),
    .target(
      name: "CoreDataGraph",
      dependencies: ["CObjectLifetime", "CoreDataModel", "CoreDataPredicate", "CoreDataStore"]
    ),
    .target(
      name: "CoreData",
      dependencies: [
        "CoreDataModel", "CoreDataPredicate", "CoreDataStore", "CoreDataSQLite", "CoreDataGraph",
      ]
    ),
    .target(name: "TableRows"),
    .target(name: "CoreDataTestSupport", dependencies: ["CoreData", "TableRows"]),
    .target(name: "CoreDataCodeGeneration", dependencies: ["CoreDataModel"]),
    // What the plugin runs at every build: without the store, and without a package of others.
    .executableTarget(
      name: "CoreDataGenerator",
      dependencies: ["CoreDataCodeGeneration", "CoreDataModel"]
    ),
    .target(
      name: "CoreDataTools",
      dependencies: [
        "CoreData", "CoreDataCodeGeneration", "CoreDataModel", "CoreDataPredicate", "CoreDataSQL",
        "CoreDataSQLite", "CoreDataStore",
      ]
    ),
    .executableTarget(
      name: "CoreDataCommand",
      dependencies: [
        "CoreData", "CoreDataCodeGeneration", "CoreDataModel", "CoreDataPredicate",
        "CoreDataSQLite", "CoreDataStore", "CoreDataTools",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .plugin(
      name: "CoreDataModelPlugin",
      capability: .buildTool(),
      dependencies: ["CoreDataGenerator"]
    ),

    .testTarget(name: "CoreDataModelTests", dependencies: ["CoreDataModel"]),
    .testTarget(
      name: "CoreDataCodeGenerationTests",
      dependencies: ["CoreDataCodeGeneration", "CoreDataModel"]
    ),
    .testTarget(
      name: "CoreDataPredicateTests",
      dependencies: ["CoreDataPredicate", "CoreDataModel", "PredicateCases"]
    ),
    .target(
      name: "PredicateCases",
      dependencies: ["CoreDataPredicate", "CoreDataModel"],
      path: "Tests/PredicateCases"
    ),
    .target(
      name: "StoreConformance",
      dependencies: ["CoreDataStore", "CoreDataModel", "CoreDataPredicate"],
      path: "Tests/StoreConformance"
    ),
    .testTarget(
      name: "CoreDataStoreTests",
      dependencies: ["CoreDataStore", "CoreDataModel", "CoreDataPredicate", "StoreConformance"]
    ),
    .testTarget(
      name: "CoreDataSQLTests",
      dependencies: ["CoreDataSQL", "CoreDataStore", "CoreDataModel", "CoreDataPredicate"]
    ),
    .testTarget(
      name: "CoreDataSQLiteTests",
      dependencies: [
        "CoreDataSQLite", "CoreDataSQL", "CoreDataStore", "CoreDataModel", "CoreDataPredicate",
        "CSQLite", "StoreConformance", "PredicateCases", "FixtureStores",
      ]
    ),
    .target(
      name: "FixtureStores",
      dependencies: ["CSQLite", "CoreDataModel", "CoreDataSQLite", "CoreDataStore"],
      path: "Tests/FixtureStores"
    ),
    .testTarget(
      name: "CoreDataGraphTests",
      dependencies: [
        "CoreDataGraph", "CoreDataStore", "CoreDataModel", "CoreDataPredicate", "TableRows",
      ]
    ),
    .executableTarget(
      name: "LaunchedProgram",
      dependencies: ["CoreData"],
      path: "Tests/LaunchedProgram"
    ),
    .executableTarget(
      name: "StandaloneProgram",
      dependencies: ["CoreData"],
      path: "Tests/StandaloneProgram"
    ),
    .testTarget(
      name: "CoreDataToolsTests",
      dependencies: [
        "CoreDataTools", "CoreData", "CoreDataModel", "CoreDataPredicate", "CoreDataSQL",
        "CoreDataSQLite", "CoreDataStore",
      ]
    ),
    .testTarget(
      name: "CoreDataCommandTests",
      dependencies: ["CoreDataCommand", "CoreDataModel", "CoreDataSQL", "CoreDataSQLite"]
    ),
    .testTarget(
      name: "CoreDataTests",
      dependencies: [
        "CoreData", "CoreDataModel", "CoreDataSQL", "CoreDataSQLite", "CoreDataTools", "CSQLite",
        "CoreDataTestSupport", "PredicateCases", "FixtureStores", "LaunchedProgram",
        "StandaloneProgram",
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzer is there only where `scripts/fuzz` asks for it and names the library it links.
if let library = Context.environment["COREDATA_FUZZ"] {
  for target in package.targets where target.type == .regular && target.path == nil {
    target.swiftSettings = [.unsafeFlags(["-sanitize=fuzzer"])]
  }
  package.targets.append(
    .executableTarget(
      name: "coredata-fuzz",
      dependencies: ["CoreDataModel", "CoreDataPredicate", "CoreDataStore"],
      path: "Fuzz/Sources",
      swiftSettings: [.unsafeFlags(["-sanitize=fuzzer"])],
      linkerSettings: [.unsafeFlags(["-Xlinker", library, "-lstdc++", "-lm"])]
    )
  )
}
