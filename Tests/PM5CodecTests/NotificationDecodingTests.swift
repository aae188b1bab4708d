import Bytes
import PM5Codec
import TestSupport
import Testing

/// Layouts of GATT payloads: characteristic, carrier, shortest and longest documented length.
private let layouts: [(id: CharacteristicID, carrier: Carrier, lengths: ClosedRange<Int>)] = [
    (.generalStatus, .dedicated, 19...19), (.generalStatus, .multiplexed, 19...19),
    (.additionalStatus1, .dedicated, 16...17), (.additionalStatus1, .multiplexed, 18...19),
    (.additionalStatus2, .dedicated, 20...20), (.additionalStatus2, .multiplexed, 18...18),
    (.additionalStatus3, .dedicated, 12...12), (.additionalStatus3, .multiplexed, 12...12),
    (.sampleRate, .dedicated, 1...1),
    (.strokeData, .dedicated, 20...20), (.strokeData, .multiplexed, 18...18),
    (.additionalStrokeData, .dedicated, 15...15), (.additionalStrokeData, .multiplexed, 17...17),
    (.splitData, .dedicated, 18...18), (.splitData, .multiplexed, 18...18),
    (.additionalSplitData, .dedicated, 18...19), (.additionalSplitData, .multiplexed, 18...19),
    (.workoutSummary, .dedicated, 20...20), (.workoutSummary, .multiplexed, 18...18),
    (.additionalWorkoutSummary, .dedicated, 19...19),
    (.additionalWorkoutSummary, .multiplexed, 18...18),
    (.heartRateBelt, .dedicated, 6...6), (.heartRateBelt, .multiplexed, 6...6),
    (.workoutSummary2, .dedicated, 10...10), (.workoutSummary2, .multiplexed, 10...10),
    (.loggedWorkout, .dedicated, 15...15), (.loggedWorkout, .multiplexed, 15...15),
    (.heartRateInput, .dedicated, 20...20),
]

/// The value of a notification with this payload.
private func value(
    _ id: CharacteristicID, _ carrier: Carrier, _ payload: [UInt8]
) -> (CharacteristicID, [UInt8]) {
    carrier == .dedicated
        ? (id, payload) : (.multiplexed, [UInt8(truncatingIfNeeded: id.rawValue)] + payload)
}

@Suite struct NotificationDecodingTests {
    @Test func throwsOrCountsExtraBytesForEveryLength() throws {
        // 0 to 30 bytes of each layout.
        for (id, carrier, lengths) in layouts {
            for length in 0...30 {
                let (notifying, bytes) = value(id, carrier, [UInt8](repeating: 1, count: length))
                let result = decode(notifying, bytes)
                if length < lengths.lowerBound {
                    let prefix = carrier == .dedicated ? 0 : 1
                    let expected = DecodeError.truncated(
                        needed: lengths.lowerBound + prefix, had: length + prefix)
                    #expect(throws: expected, "\(id) \(carrier) \(length)") { try result.get() }
                } else {
                    let extra = max(0, length - lengths.upperBound)
                    #expect(try result.get().extraBytes == extra, "\(id) \(carrier) \(length)")
                }
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func encodesDecodedBytesUnchanged(seed: UInt64) throws {
        // Random bytes of every documented length, decoded and encoded, with both carriers and both
        // generations.
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for (id, carrier, lengths) in layouts {
            for length in lengths {
                for _ in 0..<50 {
                    var payload = generator.bytes(length)
                    if id == .heartRateInput {
                        payload.replaceSubrange(12..., with: repeatElement(0, count: 8))
                    }
                    let (notifying, bytes) = value(id, carrier, payload)
                    let decoded = try decode(notifying, bytes).get()
                    #expect(decoded.value.payload.notificationBytes(carrier: carrier) == bytes)
                    #expect(decoded.carrier == carrier)
                    #expect(type(of: decoded.value.payload).characteristic == id)
                }
            }
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func neverTrapsOnRandomBytes(seed: UInt64) {
        // Random characteristics, lengths and bytes. Decoded values are also printed.
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let id = CharacteristicID(rawValue: .random(in: 0...0x90, using: &generator))
            let multiplexed = Bool.random(using: &generator)
            let bytes = generator.bytes(.random(in: 0...40, using: &generator))
            let result = decode(multiplexed ? .multiplexed : id, bytes)
            if case .success(let decoded) = result {
                #expect(decoded.value.payload.fields.isEmpty == false)
                #expect(decoded.extraBytes < bytes.count)
            }
        }
    }

    @Test(arguments: [0x21, 0x22, 0x43, 0x80, 0x00, 0x34, 0x41] as [UInt8])
    func throwsForIdentifiersWithoutDecoder(identifier: UInt8) {
        // Identifiers other than those of the rowing service.
        let expected = DecodeError.unknownCharacteristic(UInt16(identifier))
        #expect(throws: expected) {
            try decode(.multiplexed, [identifier] + [UInt8](repeating: 0, count: 20)).get()
        }
    }

    @Test func throwsForUndocumentedChannel() {
        // 0x43 as a dedicated notification.
        #expect(
            throws: DecodeError.unknownCharacteristic(CharacteristicID.secondForceChannel.rawValue)
        ) {
            try decode(.secondForceChannel, [1, 2, 3]).get()
        }
    }
}

@Suite struct ForceCurvePieceTests {
    @Test func decodesRealHeader() throws {
        // The header of a trace, `79 00 18 00 29 00 ...`.
        let bytes = try #require(hexBytes("7900180029000000000000000000000000000000"))
        let decoded = try decode(.forceCurve, bytes).get()
        guard case .forceCurvePiece(let piece) = decoded.value else {
            Issue.record("not a force curve piece")
            return
        }
        #expect(piece.pieceCount == 7)
        #expect(piece.announcedCount == 9)
        #expect(piece.sequence == 0)
        #expect(piece.samples.elementsEqual([24, 41, 0, 0, 0, 0, 0, 0, 0]))
        #expect(decoded.extraBytes == 0)
    }

    @Test func roundTripsEverySampleCount() throws {
        // 0 to 15 samples, encoded and decoded.
        for count in 0...ForceSamples.capacity {
            let samples = ForceSamples((0..<count).map { Int16($0 * 1000 - 5000) })
            let piece = ForceCurvePiece(pieceCount: 15, sequence: 3, samples: samples)
            for carrier in Carrier.allCases where !(carrier == .multiplexed && count == 9) {
                let bytes = piece.notificationBytes(carrier: carrier)
                let id = carrier == .dedicated ? CharacteristicID.forceCurve : .multiplexed
                #expect(try decode(id, bytes).get().value == .forceCurvePiece(piece))
            }
        }
    }

    @Test func recognizesLastPieceByHeader() {
        // Each piece of a curve of three. An empty value, and a header without pieces, also end a curve.
        let isLast = (UInt8(0)...2).map { sequence in
            ForceCurvePiece(pieceCount: 3, sequence: sequence, samples: ForceSamples([1, 2]))
                .notificationBytes(carrier: .dedicated).withUnsafeBytes(ForceCurvePiece.isLast)
        }
        #expect(isLast == [false, false, true])
        for bytes in [[], [0x39], [0x09, 0]] as [[UInt8]] {
            #expect(bytes.withUnsafeBytes(ForceCurvePiece.isLast))
        }
    }

    @Test func decodesCompleteWordsOfTruncatedPiece() throws {
        // Nine words announced, then 17 bytes. A dedicated piece of that length is an error.
        let payload: [UInt8] = [0x79, 2] + (0..<17).map { UInt8($0) }
        let decoded = try decode(.multiplexed, [0x3D] + payload).get()
        guard case .forceCurvePiece(let piece) = decoded.value else {
            Issue.record("not a force curve piece")
            return
        }
        #expect(piece.announcedCount == 9)
        #expect(piece.samples.count == 8)
        #expect(decoded.extraBytes == 1)
        #expect(throws: DecodeError.truncated(needed: 20, had: 19)) {
            try decode(.forceCurve, payload).get()
        }
    }

    @Test func throwsForPiecesShorterThanAnnounced() {
        // All lengths below the announced one.
        let whole: [UInt8] = [0x23, 1, 100, 0, 200, 0, 44, 1]
        for length in 0..<whole.count {
            #expect(throws: DecodeError.self) {
                try decode(.forceCurve, Array(whole.prefix(length))).get()
            }
            #expect(throws: DecodeError.self) {
                try decode(.multiplexed, [0x3D] + whole.prefix(length)).get()
            }
        }
    }
}
