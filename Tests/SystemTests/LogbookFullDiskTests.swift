import Foundation
import TestSupport
import Testing

/// A file system of a program's own, in memory, which only it and who enters its namespace see.
enum OwnFileSystem {
    private static let isRoot = getuid() == 0
    static let begin = ["unshare", "--mount"] + (isRoot ? [] : ["--map-root-user"])

    /// Whether this machine lets us.
    static let isAllowed: Bool = {
        SpawnedProcess.status(
            of: ["/usr/bin/env"] + begin + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"],
            environment: ProcessInfo.processInfo.environment) == 0
    }()

    /// What `command` prints on the file system of a program that runs.
    static func ask(_ command: [String], beside program: ChildProcess) async throws -> String {
        let enter =
            ["--target", "\(program.identifier)", "--mount"]
            + (isRoot ? [] : ["--user", "--preserve-credentials"])
        let process = try ChildProcess("nsenter", enter + command)
        await process.waitForExit()
        return process.text
    }
}

/// rowgate-logbook on a disk that is really full: one of four megabytes.
@Suite(
    .enabled(if: OwnFileSystem.isAllowed, "needs namespaces of its own"), .enabled(if: InstalledPrograms.areAllowed))
struct LogbookFullDiskTests {
    /// Goal: a disk that fills up costs nothing that is still to be had: what comes meanwhile waits, it is
    /// said and looked up what is wrong, and with room there again everything is stored. Method: a
    /// session, the disk full to its last byte, another session, room again.
    @Test(.timeLimit(.minutes(30)))
    func whatComesMeanwhileIsStoredLater() async throws {
        let broker = try await PrivateBroker.running()
        let folder = try TemporaryFolder()
        let disk = folder.path("disk")
        try FileManager.default.createDirectory(
            atPath: disk, withIntermediateDirectories: false)
        let kept = try LogbookKeepingTests.Logbook(broker, store: #"path = "\#(disk)/logbook.db""#)
        let program = SimulatedRoom.program("rowgate-logbook")
        let logbook = try ChildProcess(
            OwnFileSystem.begin[0],
            OwnFileSystem.begin.dropFirst() + [
                "sh", "-c",
                "mount -t tmpfs -o size=4m tmpfs \(disk) && exec \(program) "
                    + "--config \(kept.configuration) --listen 127.0.0.1:0",
            ])
        #expect(
            await eventually { logbook.text.contains("listening to the broker") }, "\(logbook.text)"
        )
        var traffic = Traffic()
        func row(_ session: String) async throws {
            for message in traffic.session(session, strokes: 20) {
                try await broker.publish(
                    String(decoding: message.payload, as: UTF8.self), to: message.topic)
            }
        }
        func isVerified(_ sessions: Int) async throws -> Bool {
            try await eventually {
                let said = try await OwnFileSystem.ask(
                    [program, "check", "--config", kept.configuration], beside: logbook)
                return said.contains("COMPLETE") && said.contains("\(sessions) session")
            }
        }
        try await row("01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        #expect(try await isVerified(1), "\(logbook.text)")

        _ = try await OwnFileSystem.ask(
            ["sh", "-c", "cat /dev/zero > \(disk)/ballast"], beside: logbook)
        try await row("01J7ZK3Q5XQ4W8G9T2V6B0C1DF")
        #expect(
            await eventually {
                logbook.text.contains("the disk is full") && logbook.text.contains("wait in memory")
            }, "\(logbook.text)")
        let doctor = try await OwnFileSystem.ask(
            [program, "doctor", "--config", kept.configuration], beside: logbook)
        #expect(doctor.contains("0 KiB free beside \(disk)/logbook.db, and no record can be stored"), "\(doctor)")

        _ = try await OwnFileSystem.ask(["rm", disk + "/ballast"], beside: logbook)
        #expect(try await isVerified(2), "\(logbook.text)")
        #expect(logbook.text.contains("takes records again"))
        #expect(await logbook.terminate() == 0)
    }
}
