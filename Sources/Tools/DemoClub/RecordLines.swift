import Bytes
import Contract
import Rowing
import Timeline

/// Writes pieces as the records of a gateway, one line per record: the topic and the payload, as
/// `mosquitto_sub -F '%t %p'` prints them and `rowgate-logbook import` reads them.
///
/// The records have sequence numbers and manifests, so a logbook can verify every session.
struct RecordLines {
    private let topics: TopicMap
    /// The ULID of the ring that the gateway used.
    private let epoch: String
    private var encoder = RecordEncoder()
    private var next: [StreamID: UInt64] = [:]
    private var lastMilliseconds: [StreamID: Int64] = [:]

    init(gateway: GatewayID, epoch: String) {
        topics = TopicMap(gateway: gateway, below: .standard)
        self.epoch = epoch
    }

    /// Appends the records of a session: its events, and the manifest at its end.
    ///
    /// - Parameter clock: the clock of the gateway; its instants are those of the piece.
    /// - Returns: the stored form of the last summary; nil if the session has none.
    mutating func append(
        _ piece: SimulatedPiece, of session: SessionID, on station: StationID, _ context: RecordContext,
        to output: inout [UInt8]
    ) -> [UInt8]? {
        var strokes: [[UInt8]] = []
        var counts: [StreamKind: Int] = [:]
        var (summary, ended): ([UInt8]?, SessionTransition?)
        let first = next[StreamID(station: station, kind: .stroke), default: 1]
        for event in piece.events {
            switch event {
            case .session(let transition):
                append(transition, at: transition.at, station, context, to: &output)
                if transition.kind == .ended { ended = transition }
            case .stroke(let stroke):
                strokes.append(append(stroke, at: stroke.at, station, context, to: &output))
            case .force(let curve):
                append(curve, at: curve.at, station, context, to: &output)
                counts[.force, default: 0] += 1
            case .split(let split):
                append(split, at: split.at, station, context, to: &output)
                counts[.split, default: 0] += 1
            case .summary(let result):
                summary = append(result, at: result.at, station, context, to: &output)
            case .gap(let gap):
                append(gap, at: gap.at, station, context, to: &output)
                counts[.gap, default: 0] += 1
            case .state: break
            }
        }
        if let ended {
            let manifest = Manifest(
                session: session,
                strokes: strokes.isEmpty ? nil : first...(first + UInt64(strokes.count) - 1),
                strokeCount: strokes.count, strokeDigest: SHA256Digest.hexadecimal(of: strokes),
                forceCount: counts[.force] ?? 0, splitCount: counts[.split] ?? 0,
                gapCount: counts[.gap] ?? 0, monitorStrokes: ended.monitorStrokes)
            append(manifest, at: ended.at, station, context, to: &output)
        }
        return summary
    }

    /// Appends a record and returns its stored form.
    @discardableResult
    private mutating func append(
        _ body: some RecordBody, at instant: BootInstant, _ station: StationID, _ context: RecordContext,
        to output: inout [UInt8]
    ) -> [UInt8] {
        let stream = StreamID(station: station, kind: type(of: body).recordKind)
        let sequence = next[stream, default: 1]
        next[stream] = sequence + 1
        // Strictly increasing, also if two events have the same time.
        let time = max(
            context.clock.unixMilliseconds(at: instant), lastMilliseconds[stream].map { $0 + 1 } ?? .min)
        lastMilliseconds[stream] = time
        let head = RecordHead(
            gateway: topics.gateway, stream: stream, epoch: epoch, sequence: sequence,
            time: TimeStamp(unixMilliseconds: time))
        let stored = encoder.encode(body, head: head, context: context)
        output += Array(topics.topic(of: stream).utf8)
        output.append(UInt8(ascii: " "))
        output += RecordEncoder.published(stored, historical: true)
        output.append(UInt8(ascii: "\n"))
        return stored
    }
}
