import Bytes
import Contract
import HostRuntime

/// The erasure requests to gateways, one JSON object a line. The command adds requests while the daemon
/// records answers, so each change locks the folder (`StateFile.changing`).
package struct ErasureRequestFile: Sendable {
    /// Why the file cannot be used.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// Maximum number of completed requests that are stored; the oldest are removed.
    static let maximumDone = 256

    let path: String
    private var file: StateFile { StateFile(path: path, mode: 0o600) }

    package init(path: String) { self.path = path }

    /// Returns the requests in the order in which they were made; empty if there is no file.
    package func read() throws(Fault) -> [ErasureRequest] {
        let bytes: [UInt8]?
        do throws(StateFile.Failure) { bytes = try file.read() } catch {
            throw Fault(description: "\(error)")
        }
        var requests: [ErasureRequest] = []
        for (number, line) in TextLines.all(in: bytes ?? []).enumerated() where !line.isEmpty {
            let fields = (try? JSONObject(parsing: Array(line))).flatMap(\.self)
            guard let request = fields.flatMap(ErasureRequest.init(stored:)) else {
                throw Fault(
                    description: "\(path):\(number + 1): not a line written by rowgate-logbook")
            }
            requests.append(request)
        }
        return requests
    }

    /// Requests the erasure of an athlete at each of `gateways`. Existing open requests stay unchanged.
    package func add(_ athlete: String, at gateways: [GatewayID], now: Int64) throws(Fault) {
        try change { requests in
            let known = requests.filter { $0.athlete == athlete }.map(\.gateway)
            requests += gateways.filter { !known.contains($0) }
                .map { ErasureRequest(athlete, at: $0, madeAt: now) }
        }
    }

    /// Records an answer of a gateway.
    package func recordAnswer(
        _ athlete: String, at gateway: GatewayID, _ state: ErasureRequest.State, now: Int64
    ) throws(Fault) {
        try change { requests in
            for index in requests.indices
            where requests[index].gateway == gateway && requests[index].athlete == athlete {
                requests[index].recordAnswer(state, at: now)
            }
        }
    }

    private func change(_ edit: (inout [ErasureRequest]) -> Void) throws(Fault) {
        try file.changing {
            Fault(description: "\($0)")
        } _: { () throws(Fault) in
            try changeAlone(edit)
        }
    }

    private func changeAlone(_ edit: (inout [ErasureRequest]) -> Void) throws(Fault) {
        var requests = try read()
        edit(&requests)
        let done = requests.count { $0.athlete == nil }
        var surplus = max(0, done - Self.maximumDone)
        requests.removeAll { request in
            guard request.athlete == nil, surplus > 0 else { return false }
            surplus -= 1
            return true
        }
        let lines = requests.flatMap { JSONWriter.object($0.write) + [UInt8(ascii: "\n")] }
        do throws(StateFile.Failure) { try file.replaceForService(with: lines) } catch {
            throw Fault(description: "\(error)")
        }
    }
}

/// A request to a gateway to erase an athlete's records, with its state.
package struct ErasureRequest: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// Not sent yet, not answered, or refused; with the gateway's refusal, after which the request is
        /// repeated.
        case waiting(refusal: String?)
        /// Number of records that were erased or anonymised, and number of ring sections that cannot be
        /// read.
        case erased(records: UInt64, unreadable: UInt64)
    }

    package let gateway: GatewayID
    /// nil once the request is done, so that the logbook no longer stores the id.
    package private(set) var athlete: String?
    /// Unix milliseconds: the time of the request.
    package let madeAt: Int64
    package private(set) var state: State
    /// Unix milliseconds: the gateway's last answer; nil without one.
    package private(set) var answeredAt: Int64?

    package init(_ athlete: String, at gateway: GatewayID, madeAt: Int64) {
        (self.athlete, self.gateway, self.madeAt) = (athlete, gateway, madeAt)
        (state, answeredAt) = (.waiting(refusal: nil), nil)
    }

    /// Records an answer of the gateway.
    package mutating func recordAnswer(_ state: State, at now: Int64) {
        (self.state, answeredAt) = (state, now)
        if case .erased = state { athlete = nil }
    }

    // MARK: Stored form

    package func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("athlete_id", athlete)
        json.field("made_ms", madeAt)
        json.field("answered_ms", answeredAt)
        switch state {
        case .waiting(let refusal): json.field("refused", refusal)
        case .erased(let records, let unreadable):
            json.field("erased", records)
            json.field("unreadable", unreadable)
        }
    }

    /// nil for fields that no version has written.
    init?(stored fields: JSONObject) {
        guard let gateway = fields.text("gw").flatMap(GatewayID.init),
            let made = fields.number("made_ms")
        else { return nil }
        self.gateway = gateway
        madeAt = Int64(clamping: made)
        athlete = fields.text("athlete_id")
        answeredAt = fields.number("answered_ms").map { Int64(clamping: $0) }
        if let records = fields.number("erased") {
            state = .erased(records: records, unreadable: fields.number("unreadable") ?? 0)
        } else {
            guard athlete.map({ AthleteID.isValid($0) }) == true else { return nil }
            state = .waiting(refusal: fields.text("refused"))
        }
    }
}
