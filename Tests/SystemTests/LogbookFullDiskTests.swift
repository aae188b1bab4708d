import Foundation
import TestSupport
import Testing

/// An in-memory file system in a program's own mount namespace.
enum OwnFileSystem {
    private static let isRoot = getuid() == 0
    static let begin = ["unshare", "--mount"] + (isRoot ? [] : ["--map-root-user"])

    /// Whether this machine permits mount namespaces.
    static let isAllowed: Bool = {
        SpawnedProcess.status(
            of: ["/usr/bin/env"] + begin + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"],
            environment: ProcessInfo.processInfo.environment) == 0
    }()

    /// Runs `command` in the namespace of a running program and returns its output.
    static func run(_ command: [String], inNamespaceOf program: ChildProcess) async throws -> String {
        let enter =
            ["--target", "\(program.identifier)", "--mount"]
            + (isRoot ? [] : ["--user", "--preserve-credentials"])
        let process = try ChildProcess("nsenter", enter + command)
        await process.waitForExit()
        return process.text
    }
}

/// rowgate-logbook on a full disk of 4 MB.
@Suite(
    .enabled(if: OwnFileSystem.isAllowed, "needs mount namespaces"),
    .enabled(if: InstalledPrograms.areAllowed))
struct LogbookFullDiskTests {
    /// Stores a session, fills the disk to the last byte, publishes another session, then frees the disk.
    @Test(.timeLimit(.minutes(30)))
    func storesRecordsOnceThereIsSpace() async throws {
        let broker = try await PrivateBroker.running()
        let folder = try TemporaryFolder()
        let disk = folder.path("disk")
        try FileManager.default.createDirectory(
            atPath: disk, withIntermediateDirectories: false)
        let files = try LogbookStorageTests.Logbook(broker, store: #"path = "\#(disk)/logbook.db""#)
        let program = SimulatedRoom.program("rowgate-logbook")
        let logbook = try ChildProcess(
            OwnFileSystem.begin[0],
            OwnFileSystem.begin.dropFirst() + [
                "sh", "-c",
                "mount -t tmpfs -o size=4m tmpfs \(disk) && exec \(program) "
                    + "--config \(files.configuration) --listen 127.0.0.1:0",
            ])
        #expect(await eventually { logbook.hasSubscribed() }, "\(logbook.text)")
        var traffic = Traffic()
        func publishSession(_ session: String) async throws {
            for message in traffic.session(session, strokes: 20) {
                try await broker.publish(
                    String(decoding: message.payload, as: UTF8.self), to: message.topic)
            }
        }
        func isVerified(_ sessions: Int) async throws -> Bool {
            try await eventually {
                let output = try await OwnFileSystem.run(
                    [program, "check", "--config", files.configuration], inNamespaceOf: logbook)
                return output.contains("COMPLETE") && output.contains("\(sessions) session")
            }
        }
        try await publishSession("01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        #expect(try await isVerified(1), "\(logbook.text)")

        _ = try await OwnFileSystem.run(
            ["sh", "-c", "cat /dev/zero > \(disk)/ballast"], inNamespaceOf: logbook)
        try await publishSession("01J7ZK3Q5XQ4W8G9T2V6B0C1DF")
        #expect(
            await eventually {
                logbook.text.contains("the disk is full") && logbook.text.contains("wait in memory")
            }, "\(logbook.text)")
        let doctor = try await OwnFileSystem.run(
            [program, "doctor", "--config", files.configuration], inNamespaceOf: logbook)
        #expect(doctor.contains("0 KiB free at \(disk)/logbook.db, too little to store records"), "\(doctor)")

        _ = try await OwnFileSystem.run(["rm", disk + "/ballast"], inNamespaceOf: logbook)
        #expect(try await isVerified(2), "\(logbook.text)")
        #expect(logbook.text.contains("takes records again"))
        #expect(await logbook.terminate() == 0)
    }
}
