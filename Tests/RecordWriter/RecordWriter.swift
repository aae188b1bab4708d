// For debug builds, in which a test may look into a module; a release has no use for it.
#if DEBUG
import Contract
import Foundation
import Timeline

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// Writes to a ring as fast as it can and says so, until it is killed: the victim of a test. Where that
/// comes late, it has stopped writing before that, so that of many such processes none overwrites what
/// another one wrote.
///
/// Prints `kept STREAM SEQUENCE DIGEST` for each record that a publisher can read, and so may have
/// published, a line each.
@main
struct RecordWriter {
    /// Some 4 KB of the ring at each.
    private static let mostStrokes = 120

    static func main() async throws {
        let settings = RingSettings(
            path: CommandLine.arguments[1], sizeBytes: 32 << 20, commitInterval: .milliseconds(5),
            keepsRaw: true)
        let ergs = (1...4).compactMap { StationID("erg-\($0)") }
        guard let gateway = GatewayID("boathouse") else { preconditionFailure("a slug") }
        let recorder = try Recorder(
            gateway: gateway, stations: ergs, settings: settings,
            log: SystemLog(subsystem: "journal", threshold: .error), runtime: SystemRuntime())
        await recorder.start(outlet: .init(recordsAvailable: {}, retain: { _, _ in }))
        var cursor: UInt64?
        for number in 1...mostStrokes {
            await recorder.record(ergs.map { news(of: $0, number) })
            while let through = await publish(from: recorder, after: cursor) { cursor = through }
            // The broker is somewhat behind.
            if let cursor, number % 3 == 0 { await recorder.acknowledged(through: cursor) }
        }
        try await Task.sleep(for: .seconds(600))
    }

    /// A stroke, and now and then the edge of a session, which is committed at once.
    private static func news(of erg: StationID, _ number: Int) -> StationNews {
        let (session, now) = (SessionID("01HF0000000000000000000000"), SystemRuntime().now())
        let stroke = SessionEvent.stroke(
            Stroke(
                session: session, at: now, number: number, elapsed: .seconds(number),
                distance: Meters(Int64.random(in: 0..<1_000_000))))
        let edge = SessionEvent.session(
            SessionEdge(
                kind: .started, session: session, startedAt: now,
                workout: Workout(type: .justRowWithoutSplits, target: .none), at: now))
        return StationNews(
            station: erg, monitorSerial: nil, at: now,
            events: number % 20 == 0 ? [edge, stroke] : [stroke], checkpoint: [1, 2, 3])
    }

    private static func publish(from recorder: Recorder, after cursor: UInt64?) async -> UInt64? {
        let batch = await recorder.records(after: cursor, limit: 50)
        var lines = ""
        for record in batch.records {
            let digest = SHA256Digest.hexadecimal(of: [record.payload])
            lines += "kept \(record.stream.path) \(record.sequence) \(digest)\n"
        }
        FileHandle.standardOutput.write(Data(lines.utf8))
        return batch.through
    }
}
#else
@main
struct RecordWriter {
    static func main() { print("for debug builds") }
}
#endif
