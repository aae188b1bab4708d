import Bytes
import CDecoder
import PM5Codec

/// The two decoders over the same values; of each result one number is looked at.
enum DecoderComparison {
    static func swift(_ values: [Corpus.Value]) -> UInt64 {
        var sum: UInt64 = 0
        for value in values {
            do throws(DecodeError) {
                let decoded = try DecodedNotification(
                    characteristic: value.characteristic, bytes: value.bytes)
                sum &+= UInt64(decoded.value.firstNumber)
            } catch {
                sum &+= 1
            }
        }
        return sum
    }

    static func c(_ values: [pm5_value]) -> UInt64 {
        values.withUnsafeBufferPointer { pm5_decode_all($0.baseAddress, $0.count) }
    }

    /// Whether both decode every value, and every prefix of it, equally; prints differences.
    static func disagreements(in corpus: Corpus) -> [String] {
        corpus.values.flatMap { value in
            (0...value.bytes.count).compactMap { length in
                let cut = Corpus.Value(
                    characteristic: value.characteristic,
                    bytes: UnsafeRawBufferPointer(rebasing: value.bytes.prefix(length)))
                let (swift, c) = (swiftNumbers(of: cut), cNumbers(of: cut))
                return swift == c
                    ? nil : "\(cut.characteristic) of \(length) bytes: Swift \(swift), C \(c)"
            }
        }
    }

    private static func swiftNumbers(of value: Corpus.Value) -> [Int64] {
        do throws(DecodeError) {
            let decoded = try DecodedNotification(
                characteristic: value.characteristic, bytes: value.bytes)
            return wireNumbers(decoded.value.payload) + [Int64(decoded.extraBytes)]
        } catch {
            switch error {
            case .truncated(let needed, let had): return [-2, Int64(needed), Int64(had)]
            case .unknownCharacteristic(let id): return [-3, Int64(id)]
            }
        }
    }

    private static func cNumbers(of value: Corpus.Value) -> [Int64] {
        var notification = pm5_notification()
        var error = pm5_error()
        let bytes = value.bytes.assumingMemoryBound(to: UInt8.self)
        guard
            pm5_decode(
                value.characteristic.rawValue, bytes.baseAddress, bytes.count, &notification,
                &error)
        else {
            return error.kind == PM5_TRUNCATED
                ? [-2, Int64(error.needed), Int64(error.had)] : [-3, Int64(error.characteristic)]
        }
        var numbers = [Int64](repeating: 0, count: 32)
        let count = pm5_values(&notification, &numbers)
        return numbers.prefix(count) + [Int64(notification.extra_bytes)]
    }

    /// The stored integers of a payload in the order of its declaration; -1 for nil.
    private static func wireNumbers(_ value: Any) -> [Int64] {
        switch value {
        case let number as any BinaryInteger: return [Int64(truncatingIfNeeded: number)]
        case let code as any WireEnumeration: return [Int64(code.rawValue)]
        case let samples as ForceSamples: return samples.map(Int64.init)
        default: break
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional && mirror.children.isEmpty { return [-1] }
        return mirror.children.flatMap { wireNumbers($0.value) }
    }
}

extension Notification {
    /// Something that can only be known by telling the kinds apart.
    fileprivate var firstNumber: UInt32 {
        switch self {
        case .generalStatus(let status): status.elapsedCentiseconds
        case .additionalStatus1(let status): status.elapsedCentiseconds
        case .additionalStatus2(let status): status.elapsedCentiseconds
        case .additionalStatus3(let status): UInt32(status.workoutVerificationState)
        case .sampleRate: 0
        case .strokeData(let stroke): stroke.elapsedCentiseconds
        case .additionalStrokeData(let stroke): stroke.elapsedCentiseconds
        case .splitData(let split): split.elapsedCentiseconds
        case .additionalSplitData(let split): split.elapsedCentiseconds
        case .workoutSummary(let summary): summary.elapsedCentiseconds
        case .additionalWorkoutSummary(let summary): UInt32(summary.splitSize)
        case .heartRateBelt(let belt): belt.beltID
        case .workoutSummary2(let summary): UInt32(summary.gameScore)
        case .forceCurvePiece(let piece): UInt32(piece.sequence)
        case .loggedWorkout(let workout): workout.logAddress
        case .heartRateInput(let input): UInt32(input.flags)
        }
    }
}
