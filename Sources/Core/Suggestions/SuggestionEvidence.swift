import Bests
import Bytes
import Contract

/// A session as it was when a suggestion used it.
package struct SuggestionEvidence: Equatable, Sendable {
    package let name: PieceName
    package let total: WorkPoint
}

extension SuggestionEvidence {
    /// Reads the evidence of a suggestion; nil if it is invalid.
    init?(_ fields: JSONObject) {
        guard let gateway = fields.text("gw").flatMap(GatewayID.init),
            let session = fields.text("session_id"), let seconds = fields.decimal("time_s"),
            let metres = fields.decimal("distance_m"), 0...1e7 ~= seconds, 0...1e7 ~= metres
        else { return nil }
        name = PieceName(gateway: gateway, session: session)
        total = WorkPoint(
            centiseconds: Int64((seconds * 100).rounded()),
            decimetres: Int64((metres * 10).rounded()))
    }
}
