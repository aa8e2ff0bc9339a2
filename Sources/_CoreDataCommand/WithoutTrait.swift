// SPDX-License-Identifier: Apache-2.0

#if !Command
import Foundation

/// The program without the trait `Command`; it says how to build it with its commands.
///
/// The trait keeps `swift-argument-parser` out of packages that use only the library.
@main
enum WithoutTrait {
  static func main() {
    let text = """
      error: this `coredata` was built without its commands, which need the trait Command.
        In a clone of swift-coredata:  swift build -c release --traits Command --product coredata
        In a package that uses it:     .package(url: …, traits: ["Command"])

      """
    FileHandle.standardError.write(Data(text.utf8))
    exit(2)
  }
}
#endif
