import Bytes
import Contract

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
