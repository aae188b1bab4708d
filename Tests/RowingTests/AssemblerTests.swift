import Testing

@testable import PM5Codec
@testable import Rowing
@testable import Timeline

@Suite struct StrokeAssemblerTests {
    static func drive(_ count: UInt16, at elapsed: UInt32, recovery: UInt16 = 0) -> StrokeData {
        StrokeData(
            elapsedCentiseconds: elapsed, driveLengthCentimeters: 120, driveCentiseconds: 70,
            recoveryCentiseconds: recovery, strokeCount: count)
    }

    static func power(_ count: UInt16, at elapsed: UInt32) -> AdditionalStrokeData {
        AdditionalStrokeData(
            elapsedCentiseconds: elapsed, strokePowerWatts: 200, strokeCount: count)
    }

    static func seconds(_ count: Double) -> BootInstant {
        BootInstant(nanoseconds: UInt64(count * 1e9))
    }

    /// The packets of one stroke, by name.
    enum Packet: CaseIterable { case drive, power, recovery }

    static let orders: [[Packet]] = [
        [.drive, .power, .recovery], [.drive, .recovery, .power], [.power, .drive, .recovery],
        [.recovery, .drive, .power], [.recovery, .power, .drive], [.power, .recovery, .drive],
    ]

    @Test(arguments: orders)
    func mergesPacketsInAnyOrder(_ order: [Packet]) throws {
        // All six orders.
        var strokes = StrokeAssembler()
        for (index, packet) in order.enumerated() {
            let early = strokes.next(at: Self.seconds(Double(index) / 10))
            #expect(early == nil)
            let now = Self.seconds(Double(index) / 10)
            switch packet {
            case .drive: _ = strokes.receive(Self.drive(1, at: 83), leg: 1, at: now)
            case .power: _ = strokes.receive(Self.power(1, at: 83), leg: 1, at: now)
            case .recovery:
                _ = strokes.receive(Self.drive(1, at: 274, recovery: 180), leg: 1, at: now)
            }
        }
        let given = strokes.next(at: Self.seconds(1))
        let stroke = try #require(given)
        #expect(stroke.number == 1 && stroke.hasRecovery)
        #expect(stroke.data?.recoveryCentiseconds == 180)
        #expect(stroke.elapsedCentiseconds == 274)
        #expect(stroke.power?.strokePowerWatts == 200)
        let repeated = strokes.next(at: Self.seconds(20), flush: true)
        #expect(repeated == nil)
    }

    @Test(arguments: [0, 3, 10, 20] as [UInt32])
    func ignoresRepeatedPacketsOfBurst(_ later: UInt32) throws {
        // Captured bursts repeat a packet within 0.1 s with a slightly later time. The second packet is not
        // a recovery.
        var strokes = StrokeAssembler()
        var given: [AssembledStroke] = []
        for (start, recovery) in [(UInt32(83), UInt16(150)), (274, 180)] {
            for elapsed in [start, start + later] {
                let now = Self.seconds(Double(elapsed) / 100)
                let packet = Self.drive(1, at: elapsed, recovery: recovery)
                _ = strokes.receive(packet, leg: 1, at: now)
                _ = strokes.receive(Self.power(1, at: elapsed), leg: 1, at: now)
                while let stroke = strokes.next(at: now) { given.append(stroke) }
            }
        }
        #expect(given.map(\.number) == [1])
        #expect(given.first?.data?.recoveryCentiseconds == 180)
        #expect(given.first?.elapsedCentiseconds == 274)
    }

    @Test func waitsSixSecondsForRecoveryPacket() {
        // The second packet is missing, and then comes too late.
        var strokes = StrokeAssembler()
        _ = strokes.receive(Self.drive(1, at: 83), leg: 1, at: Self.seconds(0))
        _ = strokes.receive(Self.power(1, at: 83), leg: 1, at: Self.seconds(0))
        let beforeLimit = strokes.next(at: Self.seconds(5.9))
        #expect(beforeLimit == nil)
        let atLimit = strokes.next(at: Self.seconds(6))
        #expect(atLimit?.hasRecovery == false)
        let late = strokes.receive(
            Self.drive(1, at: 900, recovery: 800), leg: 1, at: Self.seconds(9))
        #expect(late == nil)
        let repeated = strokes.next(at: Self.seconds(20), flush: true)
        #expect(repeated == nil)
    }

    @Test func releasesStrokeWithoutPowerWhenNextIsComplete() {
        // The next stroke's 0x0036 has arrived.
        var strokes = StrokeAssembler()
        _ = strokes.receive(Self.drive(1, at: 83), leg: 1, at: Self.seconds(0))
        _ = strokes.receive(Self.drive(1, at: 274), leg: 1, at: Self.seconds(1.9))
        let waiting = strokes.next(at: Self.seconds(2))
        #expect(waiting == nil)
        _ = strokes.receive(Self.drive(2, at: 350), leg: 1, at: Self.seconds(2.6))
        _ = strokes.receive(Self.power(2, at: 350), leg: 1, at: Self.seconds(2.6))
        let first = strokes.next(at: Self.seconds(2.6))
        #expect(first?.number == 1 && first?.power == nil)
    }

    @Test func mergesBacklogOfDrivesThenPowers() {
        // Six strokes: first all 0x0035, then all 0x0036.
        var strokes = StrokeAssembler()
        for count in UInt16(1)...6 {
            let start = UInt32(count) * 250
            _ = strokes.receive(Self.drive(count, at: start), leg: 1, at: Self.seconds(1))
            _ = strokes.receive(Self.drive(count, at: start + 180), leg: 1, at: Self.seconds(1))
        }
        let waiting = strokes.next(at: Self.seconds(1))
        #expect(waiting == nil)
        var given: [AssembledStroke] = []
        for count in UInt16(1)...6 {
            _ = strokes.receive(
                Self.power(count, at: UInt32(count) * 250), leg: 1, at: Self.seconds(1))
            while let stroke = strokes.next(at: Self.seconds(1)) { given.append(stroke) }
        }
        #expect(given.map(\.number) == Array(1...6))
        #expect(given.allSatisfy { $0.power != nil && $0.hasRecovery })
    }

    @Test func mergesBacklogOfPowersThenDrives() {
        // Four strokes: first all 0x0036, then all 0x0035.
        var strokes = StrokeAssembler()
        var given: [AssembledStroke] = []
        for count in UInt16(1)...4 {
            _ = strokes.receive(
                Self.power(count, at: UInt32(count) * 250), leg: 1, at: Self.seconds(1))
        }
        while let stroke = strokes.next(at: Self.seconds(1)) { given.append(stroke) }
        for count in UInt16(1)...4 {
            for elapsed in [UInt32(count) * 250, UInt32(count) * 250 + 180] {
                _ = strokes.receive(Self.drive(count, at: elapsed), leg: 1, at: Self.seconds(1))
                while let stroke = strokes.next(at: Self.seconds(1)) { given.append(stroke) }
            }
        }
        #expect(given.map(\.number) == Array(1...4))
        #expect(given.allSatisfy { $0.power != nil && $0.hasRecovery })
    }

    @Test func extendsCountPast16Bits() {
        // The counts around the overflow, after 45 hours of rowing; one packet is late.
        var strokes = StrokeAssembler()
        strokes.resume(
            leg: 1, base: 0, released: 65_533, highest: 65_533, elapsedCentiseconds: 1_000_000)
        var numbers: [Int] = []
        for (index, count) in [UInt16(65_534), 65_535, 0, 65_535, 1, 2].enumerated() {
            let now = Self.seconds(Double(index) * 2)
            _ = strokes.receive(
                Self.drive(count, at: 1_000_000 + UInt32(index) * 250), leg: 1, at: now)
            while let stroke = strokes.next(at: now, flush: true) { numbers.append(stroke.number) }
        }
        #expect(numbers == [65_534, 65_535, 65_536, 65_537, 65_538])
    }

    @Test func boundsMemoryOfIncompleteStrokes() {
        // 1000 incomplete strokes, none removed.
        var strokes = StrokeAssembler()
        for count in UInt16(1)...1000 {
            _ = strokes.receive(Self.drive(count, at: UInt32(count)), leg: 1, at: Self.seconds(0))
        }
        var given = 0
        while strokes.next(at: Self.seconds(0), flush: true) != nil { given += 1 }
        #expect(given == StrokeAssembler.capacity + 1)
    }
}

@Suite struct ForceCurveAssemblerTests {
    static func pieces(_ count: UInt8 = 4) -> [ForceCurvePiece] {
        (0..<count).map { sequence in
            let first = Int16(sequence) * 9
            return ForceCurvePiece(
                pieceCount: count, sequence: sequence, samples: ForceSamples(first..<first + 9))
        }
    }

    static let now = BootInstant(nanoseconds: 5_000_000_000)

    @Test func assemblesPiecesIntoCurves() throws {
        // Two curves in a row, each of four pieces.
        var curves = ForceCurveAssembler()
        for _ in 0..<2 {
            let given = Self.pieces().compactMap { curves.receive($0, at: Self.now) }
            #expect(given.count == 1)
            #expect(given.first?.isComplete == true)
            #expect(given.first?.poundsForce == Array(0..<36))
        }
    }

    @Test(arguments: 0..<4)
    func marksCurveWithLostPieceIncomplete(_ lost: Int) throws {
        // Omits each piece in turn; the next curve follows.
        var curves = ForceCurveAssembler()
        var given: [AssembledCurve] = []
        for (index, piece) in Self.pieces().enumerated() where index != lost {
            if let curve = curves.receive(piece, at: Self.now) { given.append(curve) }
        }
        for piece in Self.pieces() {
            if let curve = curves.receive(piece, at: Self.now) { given.append(curve) }
        }
        #expect(given.map(\.isComplete) == [false, true])
        #expect(given.first?.poundsForce.count == 27)
    }

    @Test func expiresCurveWithoutEnd() {
        // One second passes without the last pieces.
        var curves = ForceCurveAssembler()
        _ = curves.receive(Self.pieces()[0], at: Self.now)
        let early = curves.expire(at: Self.now.advanced(by: .milliseconds(900)))
        #expect(early == nil)
        let curve = curves.expire(at: Self.now.advanced(by: .seconds(1)))
        #expect(curve?.isComplete == false)
        #expect(curve?.poundsForce.count == 9)
        let repeated = curves.expire(at: Self.now.advanced(by: .seconds(9)))
        #expect(repeated == nil)
    }

    @Test func ignoresRepeatedPieces() {
        // Each piece arrives twice.
        var curves = ForceCurveAssembler()
        let given = Self.pieces().dropFirst().reduce(into: [AssembledCurve]()) { given, piece in
            if given.isEmpty, piece.sequence == 1 {
                _ = curves.receive(Self.pieces()[0], at: Self.now)
            }
            for _ in 0..<2 {
                if let curve = curves.receive(piece, at: Self.now) { given.append(curve) }
            }
        }
        #expect(given.first?.poundsForce == Array(0..<36))
        #expect(given.first?.isComplete == true)
    }

    @Test func joinsCurvesToStrokesInEitherOrder() {
        // 0x003D before and after 0x0035, then a stray curve.
        var joiner = CurveJoiner()
        func curve(_ milliseconds: UInt64) -> AssembledCurve {
            AssembledCurve(
                begun: BootInstant(nanoseconds: milliseconds * 1_000_000), isComplete: true,
                poundsForce: [1])
        }
        func time(_ milliseconds: UInt64) -> BootInstant { curve(milliseconds).begun }
        joiner.add(stroke: 1, at: time(1000))
        joiner.add(curve(1100))
        let first = joiner.next()
        #expect(first?.stroke == 1)
        joiner.add(curve(3000))
        let before = joiner.next()
        #expect(before == nil)
        joiner.add(stroke: 2, at: time(3200))
        let second = joiner.next()
        #expect(second?.stroke == 2)
        joiner.add(stroke: 3, at: time(5000))
        joiner.add(curve(6500))
        let third = joiner.next()
        #expect(third == nil)
        joiner.expire(at: time(9000))
        var late = joiner
        late.add(stroke: 4, at: time(6600))
        let joined = late.next()
        #expect(joined?.stroke == 4)
        joiner.expire(at: time(9600))
        joiner.add(stroke: 4, at: time(6600))
        let dropped = joiner.next()
        #expect(dropped == nil)
    }

    @Test func joinsCurveByEndOfDrive() {
        // 0x0035 long before the curve, as sent at the catch; 0x0036 before and after it; and a neighbour
        // without a curve.
        func curve(_ milliseconds: UInt64) -> AssembledCurve {
            AssembledCurve(
                begun: BootInstant(nanoseconds: milliseconds * 1_000_000), isComplete: true,
                poundsForce: [1])
        }
        func time(_ milliseconds: UInt64) -> BootInstant { curve(milliseconds).begun }
        var joiner = CurveJoiner()
        joiner.add(stroke: 1, at: time(1000))
        joiner.add(curve(1900))
        let early = joiner.next()
        #expect(early == nil)
        joiner.end(driveOf: 1, at: time(1910))
        let first = joiner.next()
        #expect(first?.stroke == 1)
        joiner.add(stroke: 2, at: time(2600))
        joiner.end(driveOf: 2, at: time(3500))
        joiner.add(stroke: 3, at: time(3900))
        joiner.end(driveOf: 3, at: time(4190))
        joiner.add(curve(4200))
        let nearest = joiner.next()
        #expect(nearest?.stroke == 3)
    }
}

@Suite struct SplitAssemblerTests {
    static let now = BootInstant(nanoseconds: 1_000_000_000)

    @Test func mergesSplitPacketsInEitherOrder() {
        // Both orders, then the same split again.
        var splits = SplitAssembler()
        let isNew = splits.receive(AdditionalSplitData(powerWatts: 180, splitNumber: 1))
        #expect(isNew)
        let half = splits.next(at: Self.now)
        #expect(half == nil)
        let completes = splits.receive(SplitData(splitNumber: 1), at: Self.now)
        #expect(completes)
        let first = splits.next(at: Self.now)
        #expect(first?.additional?.powerWatts == 180)
        let isRepeated = splits.receive(SplitData(splitNumber: 1), at: Self.now)
        #expect(!isRepeated)
        let isNext = splits.receive(SplitData(splitNumber: 2), at: Self.now)
        #expect(isNext)
        let isItsPair = splits.receive(AdditionalSplitData(splitNumber: 2))
        #expect(isItsPair)
        let second = splits.next(at: Self.now)
        #expect(second?.data.splitNumber == 2)
    }

    @Test func waitsOneSecondForSecondSplitPacket() {
        // One second passes without 0x0038.
        var splits = SplitAssembler()
        let isNew = splits.receive(SplitData(splitNumber: 1), at: Self.now)
        #expect(isNew)
        let early = splits.next(at: Self.now.advanced(by: .milliseconds(999)))
        #expect(early == nil)
        let split = splits.next(at: Self.now.advanced(by: .seconds(1)))
        #expect(split != nil && split?.additional == nil)
        let isNewOnRepeat = splits.receive(AdditionalSplitData(splitNumber: 1))
        #expect(!isNewOnRepeat)
    }

    @Test func extendsNumberPast8Bits() {
        // Both packets of 600 splits, each repeated.
        var splits = SplitAssembler()
        var numbers: [Int] = []
        for number in 1...600 {
            let wire = UInt8(truncatingIfNeeded: number)
            for _ in 0..<2 {
                _ = splits.receive(SplitData(splitNumber: wire), at: Self.now)
                _ = splits.receive(AdditionalSplitData(splitNumber: wire))
                if let split = splits.next(at: Self.now) { numbers.append(split.number) }
            }
        }
        #expect(numbers == Array(1...600))
    }
}
