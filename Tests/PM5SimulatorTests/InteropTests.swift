import Bytes
import Foundation
import TestSupport
import Testing

@testable import PM5Codec
@testable import PM5Simulator

/// Third-party programs against the simulator: clients may rely on the behaviour that they accept.
@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct InteropTests {
    private static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (text: String, status: Int32?) {
        let process = try ChildProcess(program, arguments, environment: environment)
        let status = await process.waitForExit()
        return (process.text, status)
    }

    @Test func busctlReadsTheTree() async throws {
        // `busctl tree` and `introspect`, which calls GetAll.
        let room = try await SimulatedRoom.known(ergs: 2, connected: 1)
        let address = "--address=\(room.bus.address)"
        let tree = try await Self.run("busctl", [address, "--list", "tree", "org.bluez"])
        #expect(tree.status == 0, "\(tree.text)")
        let known = try await room.client.managedObjects().keys
        for path in known { #expect(tree.text.contains("\(path)\n"), "\(path)") }
        for path in [
            "/org/bluez/hci0", room.device(), try await room.characteristic(.generalStatus),
        ] {
            let object = try await Self.run("busctl", [address, "introspect", "org.bluez", path])
            #expect(object.status == 0 && !object.text.contains("error"), "\(object.text)")
            let properties = try #require(try await room.client.managedObjects()[path])
                .values.flatMap(\.keys)
            for name in properties { #expect(object.text.contains(".\(name) "), "\(name)") }
        }
        await room.stop()
    }

    @Test func gdbusParsesIntrospectionAndErrors() async throws {
        let room = try await SimulatedRoom()
        let common = ["--address", room.bus.address, "--dest", "org.bluez"]
        let xml = try await Self.run(
            "gdbus", ["introspect"] + common + ["--object-path", "/", "--recurse"])
        #expect(xml.status == 0 && xml.text.contains("interface org.bluez.Adapter1"))
        let refused = try await Self.run(
            "gdbus",
            ["call"] + common + [
                "--object-path", "/org/bluez/hci0", "--method", "org.bluez.Adapter1.StopDiscovery",
            ])
        #expect(refused.status != 0)
        #expect(refused.text.contains("org.bluez.Error.Failed: No discovery started"))
        await room.stop()
    }

    @Test(
        .enabled(
            if: PythonPackage.hasBleak,
            "bleak is not installed and could not be: python3 -m pip install bleak"))
    func bleakReceivesStrokes() async throws {
        let room = try await SimulatedRoom(ergs: 3, speed: 10, linkSpeed: 2)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/bleak_client.py").path
        let client = try await Self.run(
            "python3", [script, "3", "4"],
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS": room.bus.address, "PYTHONPATH": PythonPackage.folder,
            ])
        #expect(client.status == 0, "\(client.text)")
        let line = try #require(client.text.split(separator: "\n").last)
        let results = try JSONDecoder().decode([BleakResult].self, from: Data(line.utf8))
        #expect(Set(results.map(\.serial)) == ["430000001", "430000002", "430000003"])
        for result in results {
            #expect(result.name.hasPrefix("PM5 \(result.serial)"))
            #expect(result.received["0031", default: []].count > 50)
            let strokes = try result.received["0035", default: []].map { hex in
                try bytes(ofHex: hex).withReader { reader throws(DecodeError) in
                    try StrokeData(decoding: &reader, carrier: .dedicated)
                }
            }
            #expect(strokes.count > 6)
            #expect(Set(strokes.map(\.strokeCount)).count >= strokes.count / 2)
        }
        await room.stop()
    }
}

private struct BleakResult: Decodable {
    let name: String
    let serial: String
    /// Values in hexadecimal by characteristic.
    let received: [String: [String]]
}
