import Foundation
import TestSupport
import Testing

@testable import Diagnosis

/// The script that the doctor recommends for relays, on copies of bluetoothd's configuration.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct RelaySetupTests {
    private static let needed = ["ReverseServiceDiscovery": "false", "ControllerMode": "le"]
    private static let original = """
        [General]
        # Restricts all controllers to the specified transport.
        #ControllerMode = dual
        Name = Boathouse
        #ReverseServiceDiscovery = true

        [GATT]
        #Cache = always

        """

    /// Runs the script; returns its output, the file afterwards, and the options that the doctor reads in it.
    private func set(
        _ text: String, _ arguments: [String] = []
    ) async throws -> (output: String, file: String, options: [String: String]) {
        let folder = try TemporaryFolder()
        let file = folder.path + "/etc/bluetooth/main.conf"
        try FileManager.default.createDirectory(
            atPath: folder.path + "/etc/bluetooth", withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../packaging/set-up-relays").standardized.path
        let process = try ChildProcess(script, ["--file", file] + arguments)
        #expect(await process.waitForExit() == 0)
        return (
            process.text, try String(contentsOfFile: file, encoding: .utf8),
            HostProbe(root: folder.path).bluetoothOptions()
        )
    }

    @Test func replacesOnlyTheOptionsOfRelays() async throws {
        let (_, file, _) = try await set(Self.original)
        let expected = Self.original
            .replacingOccurrences(of: "#ControllerMode = dual", with: "ControllerMode = le")
            .replacingOccurrences(
                of: "#ReverseServiceDiscovery = true", with: "ReverseServiceDiscovery = false")
        #expect(file == expected)
        let again = try await set(file)
        #expect(again.file == file)
        #expect(again.output.hasPrefix("nothing to change in "))
        #expect(try await set(file, ["--undo"]).file == Self.original)
    }

    @Test(arguments: [
        "", "[GATT]\nCache = no\n", "[General]\n",
        "[General]\nControllerMode=bredr\nControllerMode = dual\n[LE]\n",
        "[General]\n\tReverseServiceDiscovery = true\n", "[LE]\n#ControllerMode = dual\n[General]\nName = x",
    ])
    func doctorIsSatisfiedAfterwards(_ text: String) async throws {
        let options = try await set(text).options
        #expect(options.filter { Self.needed.keys.contains($0.key) } == Self.needed)
    }

    @Test func anUntouchedFileHasNothingToUndo() async throws {
        #expect(try await set(Self.original, ["--undo"]).output.hasPrefix("nothing to change in "))
    }
}
