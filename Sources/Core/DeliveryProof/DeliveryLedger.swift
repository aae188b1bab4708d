import Bytes
import Contract

/// Keeps account of everything that a listener received, for a verdict at any time.
///
/// Of a record its number and its digest are kept; strokes are kept whole until a manifest has
/// proven them, about 0.5 KB each.
package struct DeliveryLedger {
    /// What a caller may want to act on.
    package enum Notice: Equatable, Sendable {
        /// A session has ended, and all of it was sent.
        case manifest(session: String)
        /// A replay was answered: `ok`, `error` or `accepted`, and why, for people.
        case replayReply(requestID: String, status: String, message: String)
    }

    /// An erg of a gateway.
    private struct Erg: Hashable {
        var gateway: GatewayID
        var station: StationID
    }

    private let owesEverything: Bool
    private let digest: RecordDigest
    private var ledgers: [EpochName: EpochLedger] = [:]
    private var sessions: [Erg: SessionLedger] = [:]
    /// The present epoch of each gateway, which its health does not name: that of its last `birth`,
    /// or of a record that is new. Marks and late records may be of an earlier one.
    private var epochs: [GatewayID: String] = [:]
    /// Messages on durable topics that are no records.
    private(set) var defects: [(topic: String, words: String)] = []
    private(set) var defectCount = 0

    /// What a ring log begins with that is heard of now.
    private var newLedger = EpochLedger()
    /// Records taken in of those that are owed, repeated ones included.
    private(set) var owedRecordCount = 0

    private static let defectLimit = 10

    /// - Parameter owesEverything: whether each stream is to be there from its first number on,
    ///   and not only from where the listener came in.
    package init(owesEverything: Bool = false, digest: @escaping RecordDigest) {
        self.owesEverything = owesEverything
        self.digest = digest
    }

    /// Listening has ended: what was named so far is what has to be there, however much the
    /// gateway goes on to say.
    mutating func close() {
        newLedger.close()
        for name in ledgers.keys { ledgers[name]?.close() }
    }

    /// Takes in a message; what proves nothing is passed over.
    @discardableResult
    package mutating func take(topic: String, payload: [UInt8]) -> Notice? {
        guard let (gateway, content) = TopicMap.read(topic) else { return nil }
        do throws(RecordDefect) {
            switch content {
            case .record(let stream): return try take(payload, of: stream, from: gateway)
            case .retained(.marks(let station)):
                takeMarks(try fields(payload), of: station, from: gateway)
            case .retained(.birth): takeBirth(try fields(payload), from: gateway)
            case .retained(.health): takeHealth(try fields(payload), from: gateway)
            case .reply(nil, ReplayRequest.verb): return Notice(try fields(payload))
            default: break
            }
        } catch {
            defectCount += 1
            if defects.count < Self.defectLimit { defects.append((topic, error.words)) }
        }
        return nil
    }

    private func fields(_ payload: [UInt8]) throws(RecordDefect) -> JSONObject {
        guard let fields = try? JSONObject(parsing: payload) else {
            // The one cause that cleared topics have.
            throw RecordDefect(
                words: payload.isEmpty ? "it is empty" : "it is no JSON object")
        }
        return fields
    }

    private mutating func take(
        _ payload: [UInt8], of stream: StreamID, from gateway: GatewayID
    ) throws(RecordDefect) -> Notice? {
        let record = try ReceivedRecord(payload, of: stream)
        if record.fields["historical"] == .flag(false) { epochs[gateway] = record.epoch }
        let name = EpochName(gateway: gateway, epoch: record.epoch)
        let isNew = try ledgers[name, default: newLedger].take(
            record, of: stream, digest: digest)
        let owed = ledgers[name]?.streams[stream]?.extent.owed
        if owed?.contains(record.sequence) == true { owedRecordCount += 1 }
        guard isNew, let station = stream.station else { return nil }
        sessions[Erg(gateway: gateway, station: station), default: SessionLedger()]
            .take(record, kind: stream.kind)
        guard stream.kind == .manifest else { return nil }
        return record.fields.text("session_id").map { .manifest(session: $0) }
    }

    private mutating func takeMarks(
        _ fields: JSONObject, of station: StationID, from gateway: GatewayID
    ) {
        guard let positions = StreamPositions(fields) else { return }
        let name = EpochName(gateway: gateway, epoch: positions.epoch)
        ledgers[name, default: newLedger].take(marks: positions.last, of: station)
    }

    private mutating func takeBirth(_ fields: JSONObject, from gateway: GatewayID) {
        guard let (epoch, streams) = Birth.positions(in: fields) else { return }
        epochs[gateway] = epoch
        let name = EpochName(gateway: gateway, epoch: epoch)
        for (stream, position) in streams where position.next > 1 {
            ledgers[name, default: newLedger].announce(position.next - 1, of: stream)
        }
    }

    private mutating func takeHealth(_ fields: JSONObject, from gateway: GatewayID) {
        guard let epoch = epochs[gateway] else { return }
        let name = EpochName(gateway: gateway, epoch: epoch)
        for (kind, last) in StreamPositions.ofGateway(in: fields) {
            let stream = StreamID(station: nil, kind: kind)
            ledgers[name, default: newLedger].announce(last, of: stream)
        }
    }

    // MARK: Verdict

    /// How what arrived stands against what was owed, now.
    package mutating func verdict() -> DeliveryVerdict {
        var verdict = DeliveryVerdict()
        for name in ledgers.keys.sorted() {
            guard var ledger = ledgers[name] else { continue }
            if owesEverything { ledger.oweEverything() }
            verdict.add(ledger, name)
            for claim in ledger.claims.sorted(by: { $0.station < $1.station }) {
                let erg = Erg(gateway: name.gateway, station: claim.station)
                let proof = sessions[erg, default: SessionLedger()].prove(claim, digest: digest)
                verdict.sessions.append(.init(name, claim, proof))
            }
            ledgers[name] = ledger
        }
        verdict.defects = defects.map { .init(topic: $0.topic, words: $0.words) }
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
