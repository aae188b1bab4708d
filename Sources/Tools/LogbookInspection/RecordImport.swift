import Bytes
import CommandLineText
import Contract
import LogbookStores

/// Imports messages from a file into a store, with the same validation as for messages from the broker.
///
/// A line is a topic, a space and a payload, as `mosquitto_sub -F '%t %p'` prints them; or a bare record,
/// as written by `export` and `rowgatectl log export`.
package struct RecordImport: Sendable {
    package private(set) var added = 0
    package private(set) var repeats = 0
    package private(set) var conflicts = 0
    /// Records of erased athletes.
    package private(set) var forgotten = 0
    /// Messages without a record: live samples, retained messages, replies.
    package private(set) var others = 0
    /// Refused lines, by reason.
    package private(set) var refused: [String: Int] = [:]
    private var waiting: [ValidatedRecord] = []

    /// Records per commit.
    private static let batch = 1000
    /// Maximum separate reasons; a file can cause any number.
    private static let mostReasons = 20

    private let topicPrefix: TopicPrefix

    /// - Parameter topicPrefix: lines with other topics are refused.
    package init(below topicPrefix: TopicPrefix = .standard) { self.topicPrefix = topicPrefix }

    /// - Parameter now: Unix milliseconds.
    package mutating func add(
        _ line: LineSplitter.Line, into store: some LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        if line.isBlank { return }
        guard case .whole(let bytes) = line else { return refuse("the line is too long") }
        do throws(RecordDefect) {
            guard let record = try record(bytes) else {
                others += 1
                return
            }
            waiting.append(record)
        } catch { refuse(error.reason) }
        if waiting.count >= Self.batch { try flush(into: store, at: now) }
    }

    /// Commits all pending records.
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

    /// Commits all pending records, and judges sessions that an interrupted import left unjudged.
    package mutating func finish(
        into store: some LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        try flush(into: store, at: now)
        var filter = SessionFilter(limit: Int(Int32.max))
        filter.states = [.missing]
        try judge(Set(try store.sessions(filter).map(\.name)), in: store, at: now)
    }

    /// Compares sessions with their manifests, as the daemon does, so that lists show the result.
    private func judge(
        _ sessions: Set<SessionName>, in store: some LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        var batch = StoreBatch(now: now)
        for name in sessions { batch.states[name] = try store.evidence(of: name)?.state }
        _ = try store.commit(batch)
    }

    private mutating func refuse(_ reason: String) {
        let isKnown = refused[reason] != nil || refused.count < Self.mostReasons
        refused[isKnown ? reason : "other reasons", default: 0] += 1
    }

    /// nil for a message without a record.
    private func record(_ line: [UInt8]) throws(RecordDefect) -> ValidatedRecord? {
        if line.first == UInt8(ascii: "{") { return try Self.bareRecord(line) }
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else {
            throw RecordDefect(reason: "it is neither a topic with a payload nor a record")
        }
        let topic = String(decoding: line[..<space], as: UTF8.self)
        guard let (gateway, content) = topicPrefix.parse(topic) else {
            throw RecordDefect(reason: "its topic is not a rowgate topic")
        }
        guard case .record(let stream) = content else { return nil }
        return try ValidatedRecord(Array(line[(space + 1)...]), of: stream, from: gateway)
    }

    private static func bareRecord(_ line: [UInt8]) throws(RecordDefect) -> ValidatedRecord? {
        let fields: JSONObject?
        do throws(JSONSyntaxError) { fields = try JSONObject(parsing: line) } catch {
            throw RecordDefect(reason: "it is not JSON: \(error)")
        }
        guard let fields, let gateway = fields.text("gw").flatMap({ GatewayID($0) }),
            line.last == UInt8(ascii: "}")
        else { throw RecordDefect(reason: "its gw is not a valid gateway id") }
        let station = fields.text("erg").flatMap { StationID($0) }
        guard
            let kind = StreamKind.all(of: station).first(where: {
                $0.topicName == fields.text("kind")
            })
        else { return nil }
        let payload =
            fields["historical"] == nil
            ? RecordEncoder.published(line, historical: true) : line
        return try ValidatedRecord(payload, of: StreamID(station: station, kind: kind), from: gateway)
    }

    /// Whether all lines were accepted.
    package var isWhole: Bool { refused.isEmpty && conflicts == 0 }

    /// The result first, then the refused lines.
    package var lines: [StyledLine] {
        var lines = [
            StyledLine("IMPORTED", .good)
                + StyledLine(
                    ": \(added.counted("record")) new, \(repeats) already stored, "
                        + "\(others.counted("other message")) ignored")
        ]
        if forgotten > 0 {
            lines.append(StyledLine("\(forgotten.counted("record")) of erased athletes, not stored"))
        }
        if conflicts > 0 {
            lines.append(
                StyledLine(
                    "\(conflicts.counted("record")) with different content than stored; "
                        + "the stored content stays",
                    .bad))
        }
        for (reason, count) in refused.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append(StyledLine("\(count.counted("line")) refused: \(reason)", .warning))
        }
        return lines
    }
}
