import Bytes
import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording

// Debug builds only, like RecordWriter.
#if DEBUG

/// A process that writes to a ring is killed repeatedly.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct RingKillTests {
    /// Kills a writing process at random moments, on four rings at once. Every tenth round also checks a
    /// copy of the ring that was made between two writes. Records that were queued for the disk are
    /// stored when the next process opens the ring.
    @Test func losesNothingInTwoHundredKills() async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        print("seed \(seed)")
        let published = try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<4 as Range<UInt64> {
                group.addTask {
                    var writers = try RingWriters(seed: seed + lane)
                    for round in 1...50 { try await writers.startAndKill(round) }
                    return try await writers.expectAll()
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(published > 1000)
    }
}

/// Successive writers of one ring, and the records that they reported as published.
private struct RingWriters {
    private let folder: TemporaryFolder
    private let seed: UInt64
    private var random: SeededGenerator
    private var published: [String: Substring] = [:]
    /// Records that were read up to `checked`.
    private var found: [String: String] = [:]
    private var checked: LogPosition?

    init(seed: UInt64) throws {
        folder = try TemporaryFolder()
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    mutating func startAndKill(_ round: Int) async throws {
        let writer = try await start("round \(round), seed \(seed)")
        if round % 10 == 1 {
            try expect(in: folder.path("ring.log"), "round \(round), seed \(seed)")
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
        if round % 10 == 0 { try copyRing(of: writer) }
        writer.signal(SIGKILL)
        await writer.waitForExit()
        if round % 10 == 0 {
            // The copy has its own end, so read all of it.
            var copy = self
            (copy.checked, copy.found) = (nil, [:])
            try copy.readNewRecords(folder.path("copy.log"))
        }
        for line in writer.lines {
            let words = line.split(separator: " ")
            guard words.count == 4, words[3].count == 64 else { continue }
            let name = "\(words[1]) \(words[2])"
            let previous = published.updateValue(words[3], forKey: name)
            #expect(previous == nil || previous == words[3], "\(name), seed \(seed)")
        }
    }

    /// Starts a writer and waits until it has opened the ring.
    private func start(_ comment: Comment) async throws -> ChildProcess {
        let writer = try ChildProcess(
            SimulatedRoom.program("RecordWriter"), [folder.path("ring.log")],
            environment: ["RUNTIME_DIRECTORY": folder.path("")])
        #expect(await eventually { writer.text.contains("stored") }, comment)
        return writer
    }

    /// Checks the whole ring, and returns the number of published records.
    mutating func expectAll() async throws -> Int {
        let writer = try await start("final check, seed \(seed)")
        writer.signal(SIGKILL)
        await writer.waitForExit()
        (checked, found) = (nil, [:])
        try expect(in: folder.path("ring.log"), "final check, seed \(seed)")
        return published.count
    }

    /// Stops the writer between two writes while it copies the ring.
    private func copyRing(of writer: ChildProcess) throws {
        writer.signal(SIGSTOP)
        defer { writer.signal(SIGCONT) }
        try? FileManager.default.removeItem(atPath: folder.path("copy.log"))
        try FileManager.default.copyItem(
            atPath: folder.path("ring.log"), toPath: folder.path("copy.log"))
    }

    /// Reads new records of the ring at `path`, and checks that it holds each published record.
    private mutating func expect(in path: String, _ comment: Comment) throws {
        try readNewRecords(path)
        for (name, digest) in published where found[name] != String(digest) {
            Issue.record("\(name) is missing in the ring or differs. \(comment)")
        }
    }

    /// Reads digests by stream and number. Reports a number that occurs twice.
    private mutating func readNewRecords(_ path: String) throws {
        var reader = try LogReader(device: FileBlockDevice.reading(path: path), from: checked)
        while let item = try reader.next() {
            guard case .record(let record) = item else {
                Issue.record("\(path) is damaged: \(item)")
                continue
            }
            guard let message = DurableMessage(stored: record.kind, record.bytes) else { continue }
            var digest = SHA256Digest()
            digest.update(message.payload)
            let stream = StreamID(station: message.station, kind: message.kind)
            let name = "\(stream.path) \(message.sequence)"
            let other = found.updateValue(digest.hexadecimal(), forKey: name)
            #expect(other == nil, "\(name) occurs twice in \(path)")
        }
        checked = reader.position
        #expect(
            reader.position.rawValue < 32 << 20,
            "\(path) has wrapped: the test would miss records")
    }
}
#endif
