import Bytes
import Contract

/// An athlete who is to be forgotten at one gateway, and what came of it.
package struct Errand: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// Not asked yet, or not answered; with the words of a gateway that refused, which is asked again.
        case waiting(words: String?)
        /// So many records were erased or rid of the id; so many stretches of its ring cannot be read.
        case erased(records: UInt64, unreadable: UInt64)
    }

    package let gateway: GatewayID
    /// nil once it is done: nothing of the logbook names them any more.
    package private(set) var athlete: String?
    /// Unix milliseconds: since when it is wished.
    package let madeAt: Int64
    package private(set) var state: State
    /// Unix milliseconds: the gateway's last answer; nil without one.
    package private(set) var answeredAt: Int64?

    package init(_ athlete: String, at gateway: GatewayID, madeAt: Int64) {
        (self.athlete, self.gateway, self.madeAt) = (athlete, gateway, madeAt)
        (state, answeredAt) = (.waiting(words: nil), nil)
    }

    /// The gateway has answered.
    package mutating func settle(_ state: State, at now: Int64) {
        (self.state, answeredAt) = (state, now)
        if case .erased = state { athlete = nil }
    }

    // MARK: As it is kept

    package func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("athlete_id", athlete)
        json.field("made_ms", madeAt)
        json.field("answered_ms", answeredAt)
        switch state {
        case .waiting(let words): json.field("refused", words)
        case .erased(let records, let unreadable):
            json.field("erased", records)
            json.field("unreadable", unreadable)
        }
    }

    /// nil for what no version has written.
    init?(kept fields: JSONObject) {
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
            state = .waiting(words: fields.text("refused"))
        }
    }
}
