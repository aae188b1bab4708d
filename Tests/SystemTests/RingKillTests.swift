// Debug builds only, as the program that it kills.
#if DEBUG
import Foundation
import MQTTPublishing
import RingLog
import Rowing
import TestSupport
import Testing

@testable import RowgateDaemon

/// A process that writes to a ring dies without warning, again and again.
struct RingKillTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Goal: nothing that a publisher could read is ever lost, and no number names two records.
    /// Method: 200 SIGKILLs at random moments of a real process under load; every tenth time the
    /// file is copied between two of its writes, and the copy must be a ring with all of it too.
    @Test func twoHundredKills() async throws {
        let seed = UInt64.random(in: 1...1_000_000)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var published: [String: Substring] = [:]
        for round in 1...200 {
            let writer = try ChildProcess(
                SimulatedRoom.program("JournalWriter"), [folder.path("ring.log")],
                environment: ["RUNTIME_DIRECTORY": folder.path("")])
            #expect(await eventually { writer.text.contains("kept") }, "round \(round)")
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
            if round % 10 == 0 { try copyRing(of: writer) }
            writer.signal(SIGKILL)
            await writer.waitForExit()
            for line in writer.lines {
                let words = line.split(separator: " ")
                guard words.count == 4, words[3].count == 64 else { continue }
                let name = "\(words[1]) \(words[2])"
                let known = published.updateValue(words[3], forKey: name)
                #expect(known == nil || known == words[3], "\(name), seed \(seed)")
            }
            if round % 10 == 0 {
                try expect(published, in: folder.path("ring.log"), "round \(round), seed \(seed)")
                _ = try contents(of: folder.path("copy.log"))
            }
        }
        #expect(published.count > 1000)
    }

    /// Stopped, a process is between two writes.
    private func copyRing(of writer: ChildProcess) throws {
        writer.signal(SIGSTOP)
        defer { writer.signal(SIGCONT) }
        try? FileManager.default.removeItem(atPath: folder.path("copy.log"))
        try FileManager.default.copyItem(
            atPath: folder.path("ring.log"), toPath: folder.path("copy.log"))
    }

    private func expect(
        _ published: [String: Substring], in path: String, _ comment: Comment
    ) throws {
        let found = try contents(of: path)
        for (name, digest) in published where found[name] != String(digest) {
            Issue.record("\(name) is not in the ring, or another. \(comment)")
        }
    }

    /// Digests of all records by stream and number; a number that names two of them is a failure.
    private func contents(of path: String) throws -> [String: String] {
        var reader = try LogReader(device: FileBlockDevice.reading(path: path))
        var contents: [String: String] = [:]
        while let item = try reader.next() {
            guard case .record(let record) = item else {
                Issue.record("\(path) is damaged: \(item)")
                continue
            }
            guard let message = Journal.message(record) else { continue }
            let digest = SHA256Digest()
            digest.update(message.payload)
            let stream = StreamID(station: message.station, kind: message.kind)
            let name = "\(stream.path) \(message.sequence)"
            let other = contents.updateValue(digest.hexadecimal(), forKey: name)
            #expect(other == nil, "\(name) stands twice in \(path)")
        }
        return contents
    }
}
#endif
