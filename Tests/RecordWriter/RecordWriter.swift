import Bytes
import Contract
import Foundation
import HostRuntime
import Recording
import Rowing
import Timeline

/// Writes records to a ring as fast as it can, until a test kills it. It stops writing after
/// `maximumStrokes`, so that several such processes in a row do not overwrite each other's records.
///
/// Prints a line `stored STREAM SEQUENCE DIGEST` for each record that a publisher can read.
@main
struct RecordWriter {
    /// Each stroke takes about 4 KB of the ring.
    private static let maximumStrokes = 120

    static func main() async throws {
        let settings = RingSettings(
            path: CommandLine.arguments[1], sizeBytes: 32 << 20, commitInterval: .milliseconds(5),
            keepsRaw: true)
        let ergs = (1...4).compactMap { StationID("erg-\($0)") }
        guard let gateway = GatewayID("boathouse") else { preconditionFailure("a slug") }
        let recorder = try Recorder(
            gateway: gateway, stations: ergs, settings: settings,
            log: SystemLog(subsystem: "journal", threshold: .error), runtime: SystemRuntime())
        await recorder.start(callbacks: .init(recordsAvailable: {}, retain: { _, _ in }))
        var cursor: UInt64?
        for number in 1...maximumStrokes {
            await recorder.record(ergs.map { events(of: $0, number) })
            while let through = await publish(from: recorder, after: cursor) { cursor = through }
            // The broker acknowledges late.
            if let cursor, number % 3 == 0 { await recorder.acknowledged(through: cursor) }
        }
        try await Task.sleep(for: .seconds(600))
    }

    /// A stroke; with every 20th, the edge of a session, which is committed at once.
    private static func events(of erg: StationID, _ number: Int) -> StationUpdate {
        let (session, now) = (SessionID("01HF0000000000000000000000"), SystemRuntime().now())
        let stroke = SessionEvent.stroke(
            Stroke(
                session: session, at: now, number: number, elapsed: .seconds(number),
                distance: Meters(Int64.random(in: 0..<1_000_000))))
        let edge = SessionEvent.session(
            SessionTransition(
                kind: .started, session: session, startedAt: now,
                workout: Workout(type: .justRowWithoutSplits, target: .none), at: now))
        return StationUpdate(
            station: erg, monitorSerial: nil, at: now,
            events: number % 20 == 0 ? [edge, stroke] : [stroke], checkpoint: [1, 2, 3])
    }

    private static func publish(from recorder: Recorder, after cursor: UInt64?) async -> UInt64? {
        let batch = await recorder.records(after: cursor, limit: 50)
        var lines = ""
        for record in batch.records {
            let digest = SHA256Digest.hexadecimal(of: [record.payload])
            lines += "stored \(record.stream.path) \(record.sequence) \(digest)\n"
        }
        FileHandle.standardOutput.write(Data(lines.utf8))
        return batch.through
    }
}
