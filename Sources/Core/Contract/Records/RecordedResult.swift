import Bytes

/// What a summary record says about the result of a piece: one rule for races, bests, plans and exports.
package struct RecordedResult: Sendable {
    /// Whether the monitor's result was not received and could not be computed: the record then has only the
    /// time and distance that were received.
    package let isPartial: Bool
    /// Whether the piece was rowed to the end of its workout, and its result is known. False if the record
    /// does not say so.
    package let isComplete: Bool
    /// Name of the field with the seconds of work: of the whole piece, or of its received part.
    package let timeField: String
    /// Name of the field with the metres of work: of the whole piece, or of its received part.
    package let distanceField: String

    package init(_ summary: JSONObject) {
        isPartial = summary["partial_result"] == .flag(true)
        isComplete = summary["complete"] == .flag(true) && !isPartial
        // Gateways before received_time_s published the received part as the result.
        let hasReceivedPart = isPartial && summary["result_time_s"] == nil
        timeField = hasReceivedPart ? "received_time_s" : "result_time_s"
        distanceField = hasReceivedPart ? "received_distance_m" : "distance_m"
    }
}
