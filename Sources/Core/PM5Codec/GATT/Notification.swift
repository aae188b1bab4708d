import Bytes

/// A decoded value of any characteristic, from either carrier.
///
/// All cases are inline values: decoding allocates nothing.
package enum Notification: Hashable, Sendable, BitwiseCopyable {
    case generalStatus(GeneralStatus)
    case additionalStatus1(AdditionalStatus1)
    case additionalStatus2(AdditionalStatus2)
    case additionalStatus3(AdditionalStatus3)
    case sampleRate(SampleRate)
    case strokeData(StrokeData)
    case additionalStrokeData(AdditionalStrokeData)
    case splitData(SplitData)
    case additionalSplitData(AdditionalSplitData)
    case workoutSummary(WorkoutSummary)
    case additionalWorkoutSummary(AdditionalWorkoutSummary)
    case heartRateBelt(HeartRateBelt)
    case workoutSummary2(WorkoutSummary2)
    case forceCurvePiece(ForceCurvePiece)
    case loggedWorkout(LoggedWorkout)
    case heartRateInput(HeartRateInput)

    /// Decodes the value of `characteristic`. In 0x0080 the first byte identifies the payload.
    ///
    /// - Throws: `DecodeError` for a truncated value, and for a characteristic without a decoder.
    package init(
        characteristic: CharacteristicID, bytes: UnsafeRawBufferPointer
    ) throws(DecodeError) {
        self = try DecodedNotification(characteristic: characteristic, bytes: bytes).value
    }

    /// Reads the payload of `id` in the layout of `carrier`; 0x0080 itself is not a payload.
    @inline(__always)
    package init(
        _ id: CharacteristicID, decoding reader: inout ByteReader, carrier: Carrier
    ) throws(DecodeError) {
        switch id {
        case .generalStatus: self = .generalStatus(try .init(decoding: &reader, carrier: carrier))
        case .additionalStatus1:
            self = .additionalStatus1(try .init(decoding: &reader, carrier: carrier))
        case .additionalStatus2:
            self = .additionalStatus2(try .init(decoding: &reader, carrier: carrier))
        case .additionalStatus3:
            self = .additionalStatus3(try .init(decoding: &reader, carrier: carrier))
        case .sampleRate where carrier == .dedicated:
            self = .sampleRate(try .init(decoding: &reader, carrier: carrier))
        case .strokeData: self = .strokeData(try .init(decoding: &reader, carrier: carrier))
        case .additionalStrokeData:
            self = .additionalStrokeData(try .init(decoding: &reader, carrier: carrier))
        case .splitData: self = .splitData(try .init(decoding: &reader, carrier: carrier))
        case .additionalSplitData:
            self = .additionalSplitData(try .init(decoding: &reader, carrier: carrier))
        case .workoutSummary: self = .workoutSummary(try .init(decoding: &reader, carrier: carrier))
        case .additionalWorkoutSummary:
            self = .additionalWorkoutSummary(try .init(decoding: &reader, carrier: carrier))
        case .heartRateBelt: self = .heartRateBelt(try .init(decoding: &reader, carrier: carrier))
        case .workoutSummary2:
            self = .workoutSummary2(try .init(decoding: &reader, carrier: carrier))
        case .forceCurve: self = .forceCurvePiece(try .init(decoding: &reader, carrier: carrier))
        case .loggedWorkout: self = .loggedWorkout(try .init(decoding: &reader, carrier: carrier))
        case .heartRateInput where carrier == .dedicated:
            self = .heartRateInput(try .init(decoding: &reader, carrier: carrier))
        default: throw .unknownCharacteristic(id.rawValue)
        }
    }

    /// The payload as an existential value.
    package var payload: any CharacteristicPayload {
        switch self {
        case .generalStatus(let payload): payload
        case .additionalStatus1(let payload): payload
        case .additionalStatus2(let payload): payload
        case .additionalStatus3(let payload): payload
        case .sampleRate(let payload): payload
        case .strokeData(let payload): payload
        case .additionalStrokeData(let payload): payload
        case .splitData(let payload): payload
        case .additionalSplitData(let payload): payload
        case .workoutSummary(let payload): payload
        case .additionalWorkoutSummary(let payload): payload
        case .heartRateBelt(let payload): payload
        case .workoutSummary2(let payload): payload
        case .forceCurvePiece(let payload): payload
        case .loggedWorkout(let payload): payload
        case .heartRateInput(let payload): payload
        }
    }
}

/// A notification with its carrier and the number of unread bytes.
package struct DecodedNotification: Hashable, Sendable {
    /// The decoded value.
    package let value: Notification
    /// The carrier.
    package let carrier: Carrier
    /// Bytes after the longest known layout, from newer firmware.
    package let extraBytes: Int

    /// Decodes the value of `characteristic`. In 0x0080 the first byte identifies the payload.
    @inline(__always)
    package init(
        characteristic: CharacteristicID, bytes: UnsafeRawBufferPointer
    ) throws(DecodeError) {
        var reader = ByteReader(bytes)
        var id = characteristic
        carrier = characteristic == .multiplexed ? .multiplexed : .dedicated
        if carrier == .multiplexed {
            id = CharacteristicID(rawValue: UInt16(try reader.uint8()))
        }
        value = try Notification(id, decoding: &reader, carrier: carrier)
        extraBytes = reader.remaining
    }
}
