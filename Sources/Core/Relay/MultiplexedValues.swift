import PM5Codec

/// The values of 0x0080 for a phone, made from the characteristics that rowgate holds subscribed.
///
/// A monitor sends a value through 0x0080 only while the characteristic of that value does not notify. rowgate
/// subscribes the characteristics, so a phone that subscribes 0x0080 instead would get next to nothing. The
/// fields are copied byte by byte; three of them are in another characteristic there. 0x003C and unknown
/// characteristics come from the monitor itself.
///
/// Source: Concept2 BLE definition rev 1.30, multiplexed layouts.
package struct MultiplexedValues: Sendable {
    /// Of the last 0x0033, which 0x0032 carries here.
    private var averagePower: [UInt8] = [0, 0]
    /// Of the last 0x0035, which 0x0036 carries here.
    private var workPerStroke: [UInt8] = [0xFF, 0xFF]

    package init() {}

    /// Returns the value of 0x0080; nil for a characteristic that is not carried in it, or a value that is too
    /// short.
    package mutating func value(of id: CharacteristicID, _ payload: [UInt8]) -> [UInt8]? {
        note(id, payload)
        guard id.rawValue <= 0xFF, let converted = converted(id, payload) else { return nil }
        return [UInt8(id.rawValue)] + converted
    }

    private mutating func note(_ id: CharacteristicID, _ payload: [UInt8]) {
        if id == .additionalStatus2, payload.count >= 6 { averagePower = Array(payload[4..<6]) }
        if id == .strokeData, payload.count >= 18 { workPerStroke = Array(payload[16..<18]) }
    }

    private func converted(_ id: CharacteristicID, _ payload: [UInt8]) -> [UInt8]? {
        switch id {
        case .additionalStatus1:
            payload.count < 16 ? nil : Array(payload[..<16]) + averagePower + Array(payload[16...])
        case .additionalStatus2: without(4..<6, of: payload, atLeast: 20)
        case .strokeData: without(16..<18, of: payload, atLeast: 20)
        case .additionalStrokeData: payload.count < 15 ? nil : Array(payload[..<15]) + workPerStroke
        case .workoutSummary: without(18..<20, of: payload, atLeast: 20)
        case .additionalWorkoutSummary: without(4..<5, of: payload, atLeast: 19)
        case .generalStatus, .splitData, .additionalSplitData, .heartRateBelt, .additionalStatus3,
            .loggedWorkout:
            payload.count > 19 ? nil : payload
        default: nil
        }
    }

    private func without(
        _ range: Range<Int>, of payload: [UInt8], atLeast count: Int
    ) -> [UInt8]? {
        guard payload.count >= count else { return nil }
        var shorter = payload
        shorter.removeSubrange(range)
        return shorter
    }
}
