import Bytes
import CommandLineText
import Contract
import LogbookStores

/// Messages from a file on their way into a store, as if a broker brought them: with the same checks, each
/// number once.
///
/// A line is a topic, a space and a payload, as `mosquitto_sub -F '%t %p'` prints it, or a record alone, as
/// `export` writes it and `rowgatectl log export`: it says itself where it belongs.
package struct RecordImport: Sendable {
    package private(set) var added = 0
    package private(set) var repeats = 0
    package private(set) var conflicts = 0
    /// Of athletes who were forgotten.
    package private(set) var forgotten = 0
    /// Messages that are no records: live samples, retained ones, replies.
    package private(set) var others = 0
    /// Lines that are not taken, by the reason.
    package private(set) var refused: [String: Int] = [:]
    private var waiting: [KeptRecord] = []

    /// Records that become durable together.
    private static let batch = 1000
    /// Reasons that are told apart: whoever wrote the file can make up any number.
    private static let mostReasons = 20

    package init() {}

    /// - Parameter now: Unix milliseconds.
    package mutating func take(
        _ line: LineSplitter.Line, into store: some LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        if line.isBlank { return }
        guard case .whole(let bytes) = line else { return refuse("the line is too long") }
        do throws(RecordDefect) {
            guard let record = try Self.record(bytes) else {
                others += 1
                return
            }
            waiting.append(record)
        } catch { refuse(error.words) }
        if waiting.count >= Self.batch { try flush(into: store, at: now) }
    }

    /// Has everything that was taken made durable.
    package mutating func flush(
        into store: some LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        let report = try store.commit(StoreBatch(records: waiting, now: now))
        waiting = []
        try judge(report.sessions, in: store, at: now)
        added += report.added - report.forgotten
        forgotten += report.forgotten
        repeats += report.repeats
        conflicts += report.conflicts
    }

    /// Has what was taken last made durable, and judges the sessions that an import which was ended left
    /// unjudged.
    package mutating func finish(
        into store: some LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        try flush(into: store, at: now)
        var filter = SessionFilter(limit: Int(Int32.max))
        filter.states = [.missing]
        try judge(Set(try store.sessions(filter).map(\.name)), in: store, at: now)
    }

    /// Holds sessions against their manifests, as the daemon does with what comes from the broker, so that
    /// lists and sessions say the same from now on.
    private func judge(
        _ sessions: Set<SessionName>, in store: some LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        var batch = StoreBatch(now: now)
        for name in sessions { batch.states[name] = try store.evidence(of: name)?.state }
        _ = try store.commit(batch)
    }

    private mutating func refuse(_ reason: String) {
        let isKnown = refused[reason] != nil || refused.count < Self.mostReasons
        refused[isKnown ? reason : "of other reasons", default: 0] += 1
    }

    /// nil for a message that is no record.
    private static func record(_ line: [UInt8]) throws(RecordDefect) -> KeptRecord? {
        if line.first == UInt8(ascii: "{") { return try bareRecord(line) }
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else {
            throw RecordDefect(words: "it is no topic with a payload, and no record")
        }
        let topic = String(decoding: line[..<space], as: UTF8.self)
        guard let (gateway, content) = TopicMap.read(topic) else {
            throw RecordDefect(words: "its topic is not of rowgate")
        }
        guard case .record(let stream) = content else { return nil }
        return try KeptRecord(Array(line[(space + 1)...]), of: stream, from: gateway)
    }

    private static func bareRecord(_ line: [UInt8]) throws(RecordDefect) -> KeptRecord? {
        let fields: JSONObject?
        do throws(JSONSyntaxError) { fields = try JSONObject(parsing: line) } catch {
            throw RecordDefect(words: "it is not JSON: \(error)")
        }
        guard let fields, let gateway = fields.text("gw").flatMap({ GatewayID($0) }),
            line.last == UInt8(ascii: "}")
        else { throw RecordDefect(words: "it names no gateway") }
        let station = fields.text("erg").flatMap { StationID($0) }
        guard
            let kind = StreamKind.all(of: station).first(where: {
                $0.topicName == fields.text("kind")
            })
        else { return nil }
        let payload =
            fields["historical"] == nil
            ? RecordEncoder.published(line, historical: true) : line
        return try KeptRecord(payload, of: StreamID(station: station, kind: kind), from: gateway)
    }

    /// Whether everything was taken.
    package var isWhole: Bool { refused.isEmpty && conflicts == 0 }

    /// What came of it first, then what was not taken.
    package var lines: [StyledLine] {
        var lines = [
            StyledLine("IMPORTED", .good)
                + StyledLine(
                    ": \(added.counted("record")) new, \(repeats) here already, "
                        + "\(others.counted("other message")) left out")
        ]
        if forgotten > 0 {
            lines.append(StyledLine("\(forgotten) of somebody who was forgotten, not stored"))
        }
        if conflicts > 0 {
            lines.append(
                StyledLine(
                    "\(conflicts.counted("record")) with another content than what is here, which stays",
                    .bad))
        }
        for (reason, count) in refused.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append(StyledLine("\(count.counted("line")) refused: \(reason)", .warning))
        }
        return lines
    }
}
