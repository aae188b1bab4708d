import Bytes
import Contract

/// Accounts for all received messages, and gives a verdict at any time.
///
/// Stores the number and digest of each record. Stores whole strokes, about 0.5 KB each, until a
/// manifest has proven them.
package struct DeliveryLedger {
    /// An event that the caller may act on.
    package enum Notice: Equatable, Sendable {
        /// A session has ended, and the gateway has sent all of it.
        case manifest(session: String)
        /// The reply to a replay: `ok`, `error` or `accepted`, and a message for people.
        case replayReply(requestID: String, status: String, message: String)
    }

    /// An erg of a gateway.
    private struct Erg: Hashable {
        var gateway: GatewayID
        var station: StationID
    }

    let topicPrefix: TopicPrefix
    private let expectsFromStart: Bool
    private var ledgers: [EpochName: EpochLedger] = [:]
    private var sessions: [Erg: SessionLedger] = [:]
    /// The current epoch of each gateway, from its last `birth` or its last live record. Health has no
    /// epoch; marks and late records may have an earlier one.
    private var epochs: [GatewayID: String] = [:]
    /// Messages on durable topics that are not records.
    private(set) var defects: [(topic: String, reason: String)] = []
    private(set) var defectCount = 0

    /// Initial ledger of a new epoch.
    private var newLedger = EpochLedger()
    /// Received records that were expected, including repeated ones.
    private(set) var expectedRecordCount = 0

    private static let defectLimit = 10

    /// - Parameters:
    ///   - topicPrefix: messages on other topics are ignored.
    ///   - expectsFromStart: whether to expect each stream from its first number on, not only from
    ///     the first number received.
    package init(below topicPrefix: TopicPrefix = .standard, expectsFromStart: Bool = false) {
        self.topicPrefix = topicPrefix
        self.expectsFromStart = expectsFromStart
    }

    /// Ends listening. Numbers that the gateway announces later are not expected.
    mutating func close() {
        newLedger.close()
        for name in ledgers.keys { ledgers[name]?.close() }
    }

    /// Applies a message. Ignores messages that are irrelevant to the proof.
    @discardableResult
    package mutating func apply(topic: String, payload: [UInt8]) -> Notice? {
        guard let (gateway, content) = topicPrefix.parse(topic) else { return nil }
        do throws(RecordDefect) {
            switch content {
            case .record(let stream): return try apply(payload, of: stream, from: gateway)
            case .retained(.marks(let station)):
                applyMarks(try fields(payload), of: station, from: gateway)
            case .retained(.birth): applyBirth(try fields(payload), from: gateway)
            case .retained(.health): applyHealth(try fields(payload), from: gateway)
            case .reply(nil, ReplayRequest.verb): return Notice(try fields(payload))
            default: break
            }
        } catch {
            defectCount += 1
            if defects.count < Self.defectLimit { defects.append((topic, error.reason)) }
        }
        return nil
    }

    private func fields(_ payload: [UInt8]) throws(RecordDefect) -> JSONObject {
        guard let fields = try? JSONObject(parsing: payload) else {
            // A cleared retained topic gives an empty message.
            throw RecordDefect(
                reason: payload.isEmpty ? "it is empty" : "it is not a JSON object")
        }
        return fields
    }

    private mutating func apply(
        _ payload: [UInt8], of stream: StreamID, from gateway: GatewayID
    ) throws(RecordDefect) -> Notice? {
        let record = try ReceivedRecord(payload, of: stream)
        if record.fields["historical"] == .flag(false) { epochs[gateway] = record.epoch }
        let name = EpochName(gateway: gateway, epoch: record.epoch)
        let isNew = try ledgers[name, default: newLedger].insert(record, of: stream)
        let expected = ledgers[name]?.streams[stream]?.extent.expected
        if expected?.contains(record.sequence) == true { expectedRecordCount += 1 }
        guard isNew, let station = stream.station else { return nil }
        sessions[Erg(gateway: gateway, station: station), default: SessionLedger()]
            .append(record, kind: stream.kind)
        guard stream.kind == .manifest else { return nil }
        return record.fields.text("session_id").map { .manifest(session: $0) }
    }

    private mutating func applyMarks(
        _ fields: JSONObject, of station: StationID, from gateway: GatewayID
    ) {
        guard let positions = StreamPositions(fields) else { return }
        let name = EpochName(gateway: gateway, epoch: positions.epoch)
        ledgers[name, default: newLedger].apply(marks: positions.last, of: station)
    }

    private mutating func applyBirth(_ fields: JSONObject, from gateway: GatewayID) {
        guard let (epoch, streams) = Birth.positions(in: fields) else { return }
        epochs[gateway] = epoch
        let name = EpochName(gateway: gateway, epoch: epoch)
        for (stream, position) in streams where position.next > 1 {
            ledgers[name, default: newLedger].announce(position.next - 1, of: stream)
        }
    }

    private mutating func applyHealth(_ fields: JSONObject, from gateway: GatewayID) {
        guard let epoch = epochs[gateway] else { return }
        let name = EpochName(gateway: gateway, epoch: epoch)
        for (kind, last) in StreamPositions.ofGateway(in: fields) {
            let stream = StreamID(station: nil, kind: kind)
            ledgers[name, default: newLedger].announce(last, of: stream)
        }
    }

    // MARK: Verdict

    /// Compares the received records with the expected ones.
    package mutating func verdict() -> DeliveryVerdict {
        var verdict = DeliveryVerdict()
        for name in ledgers.keys.sorted() {
            guard var ledger = ledgers[name] else { continue }
            if expectsFromStart { ledger.expectEverything() }
            verdict.add(ledger, name)
            for claim in ledger.claims.sorted(by: { $0.station < $1.station }) {
                let erg = Erg(gateway: name.gateway, station: claim.station)
                let proof = sessions[erg, default: SessionLedger()].prove(claim)
                verdict.sessions.append(.init(name, claim, proof))
            }
            ledgers[name] = ledger
        }
        verdict.defects = defects.map { .init(topic: $0.topic, reason: $0.reason) }
        verdict.defectCount = defectCount
        return verdict
    }
}

extension DeliveryLedger.Notice {
    fileprivate init?(_ reply: JSONObject) {
        guard let request = reply.text("request_id"), let status = reply.text("status") else {
            return nil
        }
        self = .replayReply(
            requestID: request, status: status, message: reply.text("message") ?? "")
    }
}
