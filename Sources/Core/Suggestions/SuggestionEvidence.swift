import Bests
import Bytes
import Contract

/// A session as a suggestion found it.
package struct SuggestionEvidence: Equatable, Sendable {
    package let name: PieceName
    package let total: RowedPoint
}

extension SuggestionEvidence {
    /// As it stands in a suggestion; nil of what is none.
    init?(_ fields: JSONObject) {
        guard let gateway = fields.text("gw").flatMap(GatewayID.init),
            let session = fields.text("session_id"), let seconds = fields.decimal("time_s"),
            let metres = fields.decimal("distance_m"), 0...1e7 ~= seconds, 0...1e7 ~= metres
        else { return nil }
        name = PieceName(gateway: gateway, session: session)
        total = RowedPoint(
            centiseconds: Int64((seconds * 100).rounded()),
            decimetres: Int64((metres * 10).rounded()))
    }
}
