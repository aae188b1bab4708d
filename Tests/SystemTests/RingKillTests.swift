import Bytes
import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording

// Debug builds only, as the program that it kills.
#if DEBUG

/// A process that writes to a ring dies without warning, again and again.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct RingKillTests {
    /// Goal: nothing that a publisher could read is ever lost, and no number names two records.
    /// Method: 200 SIGKILLs at random moments of a real process under load, on four rings at once;
    /// every tenth time the file is copied between two of its writes, and the copy must be a ring
    /// too. What the disk's queue had not come to is there once the next process has opened the ring.
    @Test func twoHundredKills() async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        print("seed \(seed)")
        let published = try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<4 as Range<UInt64> {
                group.addTask {
                    var victims = try Victims(seed: seed + lane)
                    for round in 1...50 { try await victims.killOne(round) }
                    return try await victims.expectAll()
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(published > 1000)
    }
}

/// The processes that write to one ring, one after the other, and what they say that they published.
private struct Victims {
    private let folder: TemporaryFolder
    private let seed: UInt64
    private var random: SeededGenerator
    private var published: [String: Substring] = [:]
    /// As read up to `checked`, which is not read again with every look.
    private var found: [String: String] = [:]
    private var checked: LogPosition?

    init(seed: UInt64) throws {
        folder = try TemporaryFolder()
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    mutating func killOne(_ round: Int) async throws {
        let writer = try await begin("round \(round), seed \(seed)")
        if round % 10 == 1 {
            try expect(in: folder.path("ring.log"), "round \(round), seed \(seed)")
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
        if round % 10 == 0 { try copyRing(of: writer) }
        writer.signal(SIGKILL)
        await writer.waitForExit()
        if round % 10 == 0 {
            // Its end is not the ring's: nothing is read on from there.
            var copy = self
            (copy.checked, copy.found) = (nil, [:])
            try copy.readOn(folder.path("copy.log"))
        }
        for line in writer.lines {
            let words = line.split(separator: " ")
            guard words.count == 4, words[3].count == 64 else { continue }
            let name = "\(words[1]) \(words[2])"
            let known = published.updateValue(words[3], forKey: name)
            #expect(known == nil || known == words[3], "\(name), seed \(seed)")
        }
    }

    /// A process that has opened the ring.
    private func begin(_ comment: Comment) async throws -> ChildProcess {
        let writer = try ChildProcess(
            SimulatedRoom.program("RecordWriter"), [folder.path("ring.log")],
            environment: ["RUNTIME_DIRECTORY": folder.path("")])
        #expect(await eventually { writer.text.contains("stored") }, comment)
        return writer
    }

    /// Reads the whole ring once more; returns how many records were published.
    mutating func expectAll() async throws -> Int {
        let writer = try await begin("at last, seed \(seed)")
        writer.signal(SIGKILL)
        await writer.waitForExit()
        (checked, found) = (nil, [:])
        try expect(in: folder.path("ring.log"), "at last, seed \(seed)")
        return published.count
    }

    /// Stopped, a process is between two writes.
    private func copyRing(of writer: ChildProcess) throws {
        writer.signal(SIGSTOP)
        defer { writer.signal(SIGCONT) }
        try? FileManager.default.removeItem(atPath: folder.path("copy.log"))
        try FileManager.default.copyItem(
            atPath: folder.path("ring.log"), toPath: folder.path("copy.log"))
    }

    /// Everything published so far must be in the ring at `path`, which is read on from where the
    /// last look ended.
    private mutating func expect(in path: String, _ comment: Comment) throws {
        try readOn(path)
        for (name, digest) in published where found[name] != String(digest) {
            Issue.record("\(name) is not in the ring, or another. \(comment)")
        }
    }

    /// Digests of all records by stream and number; a number that names two of them is a failure.
    private mutating func readOn(_ path: String) throws {
        var reader = try LogReader(device: FileBlockDevice.reading(path: path), from: checked)
        while let item = try reader.next() {
            guard case .record(let record) = item else {
                Issue.record("\(path) is damaged: \(item)")
                continue
            }
            guard let message = DurableMessage(stored: record.kind, record.bytes) else { continue }
            let digest = SHA256Digest()
            digest.update(message.payload)
            let stream = StreamID(station: message.station, kind: message.kind)
            let name = "\(stream.path) \(message.sequence)"
            let other = found.updateValue(digest.hexadecimal(), forKey: name)
            #expect(other == nil, "\(name) stands twice in \(path)")
        }
        checked = reader.position
        #expect(
            reader.position.rawValue < 32 << 20,
            "\(path) has come round: the test would miss records")
    }
}
#endif
