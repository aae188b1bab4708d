import Foundation

/// Programs that the build does not make: mosquitto, dbus-daemon, PostgreSQL, Python and so on.
///
/// `swift test` alone skips the tests that start one: their suite or test carries
/// `.enabled(if: InstalledPrograms.areAllowed)`. `packaging/test` installs the programs and sets
/// `ROWGATE_TESTS=programs`. Without it `SpawnedProcess` refuses to start such a program, so that a
/// test without the trait fails on every machine.
package enum InstalledPrograms {
    /// Whether tests may start installed programs.
    package static let areAllowed =
        ProcessInfo.processInfo.environment["ROWGATE_TESTS"] == "programs"

    /// The folder that holds the test bundle and the programs of the same build.
    package static let buildFolder: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        return URL(fileURLWithPath: bundle ?? CommandLine.arguments[0])
            .deletingLastPathComponent().path
    }()

    /// Debian's essential packages are on every machine.
    private static let essential: Set = ["env", "sh", "bash", "chown", "cat", "sleep", "true"]

    static func check(_ command: [String]) throws {
        let program = command.dropFirst().first { !$0.contains("=") }
        guard !areAllowed, command[0] == "/usr/bin/env", let program else { return }
        guard !program.hasPrefix(buildFolder + "/"), !essential.contains(program) else { return }
        throw TestSupportError(
            "\(program) is not part of the build: add .enabled(if: InstalledPrograms.areAllowed)")
    }
}
