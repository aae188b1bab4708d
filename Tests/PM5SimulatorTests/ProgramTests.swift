import Bytes
import Foundation
import PM5Codec
import SDBus
import TestSupport
import Testing

@testable import PM5Simulator

/// The real pm5sim in a separate process.
@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct ProgramTests {
    private static func start(
        _ arguments: [String], bus: PrivateBus, folder: TemporaryFolder
    ) throws -> ChildProcess {
        let argument = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        let bundle = URL(fileURLWithPath: argument ?? CommandLine.arguments[0])
        let program = bundle.deletingLastPathComponent().appendingPathComponent("pm5sim").path
        return try ChildProcess(
            program, arguments, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    }

    @Test func rowsAPieceAndWritesTheTruth() async throws {
        // The status is subscribed last, because the rower waits for it.
        let bus = try await PrivateBus()
        let folder = try TemporaryFolder()
        let truth = folder.path("truth")
        let process = try Self.start(
            [
                "--ergs", "1", "--workout", "100m", "--speed", "10", "--link-speed", "2",
                "--seed", "3", "--truth", truth, "--exit-when-done",
            ], bus: bus, folder: folder)
        #expect(await eventually { process.lines.first?.hasPrefix("READY") == true })
        let client = try await BlueZClient(bus)
        let device = "/org/bluez/hci0/dev_F4_30_00_00_00_01"
        _ = await eventually {
            await client.refusal("/org/bluez/hci0", InterfaceName.adapter, "StartDiscovery") == nil
        }
        #expect(await client.saw { $0.path == device && $0.member == "InterfacesAdded" })
        try await client.call("/org/bluez/hci0", InterfaceName.adapter, "StopDiscovery")
        try await client.call(device, InterfaceName.device, "Connect")
        #expect(await client.saw { $0.changed["ServicesResolved"] == .boolean(true) })
        let notifying = try await client.managedObjects().filter { path, interfaces in
            let flags = interfaces[InterfaceName.characteristic]?["Flags"]?.strings
            return path.hasPrefix(device) && flags?.contains("notify") == true
        }
        let statuses = [CharacteristicID.generalStatus, .multiplexed].map {
            BusValue.string(PM5UUID.text($0))
        }
        let isStatus = { (path: String) in
            let uuid = notifying[path]?[InterfaceName.characteristic]?["UUID"]
            return statuses.contains { $0 == uuid }
        }
        let paths = notifying.keys.sorted()
        for path in paths.filter({ !isStatus($0) }) + paths.filter(isStatus) {
            try await client.call(path, InterfaceName.characteristic, "StartNotify")
        }
        #expect(await process.waitForExit() == 0)
        await client.stop()

        let text = try String(contentsOfFile: truth, encoding: .utf8)
        let kinds = text.split(separator: "\n").compactMap {
            JSONObject(line: $0)?.text("kind")
        }
        #expect(text.hasSuffix("\n") && kinds.count == text.split(separator: "\n").count)
        #expect(kinds.count { $0 == "stroke" } > 5)
        #expect(kinds.count { $0 == "session" } == 2 && kinds.contains("result"))
        #expect(!kinds.contains("unsent_stroke"))
    }

    @Test func sigtermExitsCleanly() async throws {
        let bus = try await PrivateBus()
        let folder = try TemporaryFolder()
        let control = folder.path("control")
        let process = try Self.start(["--control", control], bus: bus, folder: folder)
        #expect(await eventually { process.lines.first?.hasPrefix("READY") == true })
        #expect(await eventually { FileManager.default.fileExists(atPath: control) })
        process.signal(SIGTERM)
        #expect(await process.waitForExit() == 0)
        #expect(!FileManager.default.fileExists(atPath: control))
    }

    private static let mistakes: [(arguments: [String], says: String)] = [
        (["--ergs", "0"], "--ergs takes 1 to 99"),
        (["--adapters", "hci0"], "--adapters takes a list like hci0:7,hci1:5"),
        (["--workout", "swim"], "'swim' is not a valid workout"),
        (["--replay", "/nowhere"], "/nowhere: No such file or directory"),
        (["--truth", "/nowhere/truth"], "/nowhere/truth: No such file or directory"),
        (["--control", "/nowhere/socket"], "control socket /nowhere/socket: No such file"),
        (["--bus", "unix:path=/nowhere"], "cannot own org.bluez: connect on unix:path=/nowhere"),
    ]

    @Test(arguments: mistakes)
    func wrongUseExitsWithMessage(_ arguments: [String], _ says: String) async throws {
        let bus = try await PrivateBus()
        let folder = try TemporaryFolder()
        let process = try Self.start(arguments, bus: bus, folder: folder)
        // 64 is a mistake in the arguments (sysexits.h), 1 a failure behind them.
        #expect([1, 64].contains(await process.waitForExit()))
        #expect(await eventually { process.text.contains(says) }, "\(process.text)")
    }

    @Test func secondSimulatorOnTheSameBusExits() async throws {
        let bus = try await PrivateBus()
        let folder = try TemporaryFolder()
        let first = try Self.start([], bus: bus, folder: folder)
        #expect(await eventually { first.lines.first?.hasPrefix("READY") == true })
        let second = try Self.start([], bus: bus, folder: folder)
        #expect(await second.waitForExit() == 1)
        #expect(await eventually { second.text.contains("RequestName on org.bluez: File exists") })
        #expect(first.isRunning)
        first.signal(SIGTERM)
        #expect(await first.waitForExit() == 0)
    }
}
