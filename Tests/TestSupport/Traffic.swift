import Bytes
import Contract
import Rowing
import Timeline

/// Messages of a gateway, written with the gateway's encoder.
package struct Traffic {
    /// One of them, with where it is numbered.
    package struct Message: Sendable {
        package var topic: String
        package var payload: [UInt8]
        package var stream: StreamID?
        package var sequence: UInt64 = 0

        package init(
            topic: String, payload: [UInt8], stream: StreamID? = nil, sequence: UInt64 = 0
        ) {
            self.topic = topic
            self.payload = payload
            self.stream = stream
            self.sequence = sequence
        }

        /// As the gateway sends it when it has another name: its own is in the topic, and the record
        /// stays unchanged.
        package func sent(by gateway: GatewayID) -> Message {
            var message = self
            message.topic = stream.map { TopicMap(gateway: gateway, below: .standard).topic(of: $0) } ?? topic
            return message
        }

        /// As a replay sends it.
        package var replayed: Message {
            var message = self
            let text = String(decoding: payload, as: UTF8.self)
            message.payload = Array(
                text.replacing(#""historical":false}"#, with: #""historical":true}"#).utf8)
            return message
        }
    }

    package private(set) var gateway: GatewayID
    package var epoch: String
    package let clock = WallClock(bootID: "5b1f", unixMillisecondsAtBoot: 0, isSynchronized: true)
    package private(set) var next: [StreamID: UInt64] = [:]
    private var encoder = RecordEncoder()
    private var milliseconds: Int64 = 1_788_627_000_000

    package init(gateway: String = "boathouse", epoch: String = "01J0EP0CH000000000000000AA") {
        self.gateway = GatewayID(gateway)!
        self.epoch = epoch
    }

    /// The gateway has another name from now on; its ring and its numbers stay.
    package mutating func rename(to name: String) { gateway = GatewayID(name)! }

    /// The gateway's wall clock is set: the next record is of this moment.
    package mutating func setClock(to unixMilliseconds: Int64) { milliseconds = unixMilliseconds }

    package static let erg = StationID("erg-1")!
    package static func stream(_ kind: StreamKind, of erg: StationID? = erg) -> StreamID {
        StreamID(station: erg, kind: kind)
    }

    /// A session's records in order: its edges, strokes with their curves, and the manifest.
    ///
    /// - Parameter clockSet: the new wall clock after half of the piece.
    package mutating func session(
        _ name: String, strokes: Int, of erg: StationID = erg,
        alteredDigest: String? = nil, missesItsEnd: Bool = false, clockSet: Int64? = nil
    ) -> [Message] {
        let id = SessionID(name)
        let at = BootInstant(nanoseconds: 0)
        func edge(_ kind: SessionTransition.Kind) -> SessionTransition {
            SessionTransition(
                kind: kind, session: id, startedAt: at,
                workout: Workout(type: .justRowWithoutSplits, target: .none), at: at)
        }
        var messages = [record(edge(.started), of: erg)]
        var digest = SHA256Digest()
        let first = next[Self.stream(.stroke, of: erg), default: 1]
        for number in 1...max(strokes, 1) where strokes > 0 {
            if let clockSet, number == strokes / 2 + 1 { setClock(to: clockSet) }
            let stroke = Stroke(
                session: id, at: at, number: number, elapsed: .seconds(number),
                distance: Meters(Int64(number) * 10))
            messages.append(record(stroke, of: erg))
            digest.update(stored(messages[messages.count - 1]))
            messages.append(
                record(
                    ForceCurve(session: id, samples: [1, 2], ofStroke: number, at: at),
                    of: erg))
        }
        if missesItsEnd {
            let gap = Gap(
                session: id, at: at, reason: .linkLost, duration: .seconds(45),
                isUncounted: true)
            messages.append(record(gap, of: erg))
        }
        messages.append(record(edge(.ended), of: erg))
        let found = digest.hexadecimal()
        let manifest = Manifest(
            session: id, strokes: strokes > 0 ? first...first + UInt64(strokes) - 1 : nil,
            strokeCount: strokes, strokeDigest: alteredDigest ?? found, forceCount: strokes,
            splitCount: 0, gapCount: missesItsEnd ? 1 : 0)
        messages.append(record(manifest, of: erg))
        return messages
    }

    /// A session whose second half is in another epoch, which declares the numbers before it; of
    /// those, some were never given out.
    package mutating func sessionOverEpochs(
        _ name: String, strokes: Int, newEpoch: String, skipping count: UInt64
    ) -> (before: [Message], after: [Message]) {
        let stream = Self.stream(.stroke)
        let id = SessionID(name)
        var digest = SHA256Digest()
        var halves: [[Message]] = [[], []]
        for number in 1...strokes {
            if number == strokes / 2 + 1 {
                skip(count, of: stream)
                epoch = newEpoch
                halves[1].append(
                    record(
                        GatewayEvent.epochBegan(
                            reason: "as a test", firstSequences: [stream: next[stream] ?? 1]),
                        of: nil))
            }
            let stroke = Stroke(
                session: id, at: BootInstant(nanoseconds: 0), number: number,
                elapsed: .seconds(number), distance: .zero)
            let message = record(stroke, of: Self.erg)
            digest.update(stored(message))
            halves[number <= strokes / 2 ? 0 : 1].append(message)
        }
        let manifest = Manifest(
            session: id, strokes: 1...(next[stream] ?? 1) - 1, strokeCount: strokes,
            strokeDigest: digest.hexadecimal(), forceCount: 0, splitCount: 0, gapCount: 0)
        halves[1].append(record(manifest, of: Self.erg))
        return (halves[0], halves[1])
    }

    /// An event that declares numbers as dropped, with a reason of a newer gateway.
    package mutating func dropped(
        _ stream: StreamID, _ sequences: ClosedRange<UInt64>, reason: String?
    ) -> Message {
        var message = record(GatewayEvent.configurationReloaded, of: nil)
        var fields =
            #""event":"ring_dropped","stream":"\#(stream.path)","from_seq":\#(sequences.lowerBound),"#
            + #""to_seq":\#(sequences.upperBound)"#
        if let reason { fields += #","reason":"\#(reason)""# }
        message.payload = Array(
            String(decoding: message.payload, as: UTF8.self)
                .replacing(#""event":"config_reloaded""#, with: fields).utf8)
        return message
    }

    package mutating func event() -> Message { record(GatewayEvent.configurationReloaded, of: nil) }

    /// A minute of the room, and of a number of crews.
    package mutating func minutes(ofCrews count: Int) -> [Message] {
        [record(RoomMinute(), of: nil)] + (0..<count).map { _ in record(CrewMinute(), of: nil) }
    }

    private struct RoomMinute: RecordBody {
        static let recordKind = StreamKind.roomRollup
        func write(into json: inout JSONWriter, context: RecordContext) {
            Traffic.writeMinute(into: &json)
        }
    }

    private static func writeMinute(into json: inout JSONWriter) {
        json.field("from_ms", 1_788_627_000_000 as Int64)
        json.field("duration_s", 6000 as Int64, places: 2)
        json.field("ergs", ["erg-1"])
        json.field("strokes", 24)
        json.field("distance_m", 2500 as Int64, places: 1)
    }

    private struct CrewMinute: RecordBody {
        static let recordKind = StreamKind.crewRollup
        func write(into json: inout JSONWriter, context: RecordContext) {
            json.field("crew", "bow")
            json.field("members", ["erg-1"])
            Traffic.writeMinute(into: &json)
            json.object("erg_rate_similarity_ratio") { _ in }
            json.object("erg_force_similarity_ratio") { _ in }
        }
    }

    /// `marks` of an erg as they stand, or with other numbers.
    package func marks(of erg: StationID = erg, _ others: [StreamKind: UInt64] = [:]) -> Message {
        var last: [StreamKind: UInt64] = [:]
        for (stream, number) in next where stream.station == erg { last[stream.kind] = number - 1 }
        last.merge(others) { $1 }
        return Message(
            topic: "rowgate/v1/\(gateway)/erg/\(erg)/marks",
            payload: StreamPositions(epoch: epoch, last: last).payload(
                gateway: gateway, station: erg, at: BootInstant(nanoseconds: 0), clock: clock))
    }

    package func birth(oldest: UInt64 = 1) -> Message {
        let streams = next.mapValues { Birth.Position(next: $0, oldest: min($0, oldest)) }
        return Message(
            topic: "rowgate/v1/\(gateway)/birth",
            payload: Birth(version: "1", epoch: epoch, stations: [Self.erg], streams: streams)
                .payload(gateway: gateway, at: BootInstant(nanoseconds: 0), clock: clock))
    }

    /// Sequence numbers without a record.
    package mutating func skip(_ count: UInt64, of stream: StreamID) {
        next[stream, default: 1] += count
    }

    private mutating func record(_ body: some RecordBody, of erg: StationID?) -> Message {
        let stream = StreamID(station: erg, kind: type(of: body).recordKind)
        let sequence = next[stream, default: 1]
        next[stream] = sequence + 1
        milliseconds += 10
        let head = RecordHead(
            gateway: gateway, stream: stream, epoch: epoch, sequence: sequence,
            time: TimeStamp(unixMilliseconds: milliseconds))
        let stored = encoder.encode(body, head: head, context: RecordContext(clock: clock))
        return Message(
            topic: TopicMap(gateway: gateway, below: .standard).topic(of: stream),
            payload: RecordEncoder.published(stored, historical: false), stream: stream,
            sequence: sequence)
    }

    private func stored(_ message: Message) -> [UInt8] {
        message.payload.dropLast(#","historical":false}"#.utf8.count) + [UInt8(ascii: "}")]
    }
}
