import Bests
import Bytes
import TestSupport
import Testing

@testable import Timeline
@testable import Training

/// The form in which a store keeps the metrics of a session.
@Suite struct PieceTrainingCodingTests {
    /// Pieces with every kind of value: each figure present and missing, each machine, intervals, a pause, no event.
    private static let pieces: [PieceTraining] = {
        var found: [PieceTraining] = []
        for number in 0..<60 {
            let metres = [100.0, 500, 2000, 5000, 21_097, 1234][number % 6]
            var piece = SyntheticRower.piece(
                number, metres: metres, seconds: metres / 500 * (95 + Double(number)), daysAgo: number * 6,
                watts: { 150 + number + Int($0 * Double(number % 3 * 150)) },
                heart: { number % 4 == 0 ? nil : 140 + Int($0 * 20) })
            piece.machine = MachineKind.allCases[number % 3]
            piece.isMachineRecorded = number % 2 == 0
            if number % 7 == 0 {
                (piece.hasGap, piece.isVerified, piece.agreesWithMonitor) = (true, false, nil)
            }
            if number % 5 == 0 {
                for stroke in piece.strokes.indices {
                    (piece.strokes[stroke].interval, piece.strokes[stroke].driveCentiseconds) = (
                        stroke / 20 + 1, nil
                    )
                }
                piece.structure = PieceStructure(
                    .intervals,
                    [
                        .init(centiseconds: 6000, decimetres: 2500, kilocalories: 12),
                        .init(centiseconds: 5999, decimetres: 2501),
                    ])
                piece.workout = WorkoutResult(
                    [
                        .init(
                            .metres(250), restSeconds: 60,
                            result: WorkPoint(centiseconds: 6000, decimetres: 2500)),
                        .init(
                            .seconds(60), restSeconds: nil,
                            result: WorkPoint(centiseconds: 6000, decimetres: 2502)),
                    ], isIntervals: true, isComplete: number % 2 == 0, inTarget: number % 3 == 0 ? nil : 874)
            }
            if number == 59 { (piece.strokes, piece.runs) = ([], []) }
            let shapes = (0..<(number % 3 * 15)).compactMap { curve in
                ForceShape((0...40).map { Double(min($0, 40 - $0) * (30 + curve % 7)) })
            }
            found.append(PieceTraining(piece, shapes))
        }
        return found
    }()

    @Test func decodesWhatItEncodes() throws {
        for training in Self.pieces {
            let bytes = training.encode()
            let decoded = PieceTraining(decoding: bytes, of: training.metrics.name, in: .utc)
            #expect(decoded == training)
            #expect(decoded?.encode() == bytes)
        }
        // The test has figures of each kind.
        for figure in [
            \PieceTraining.hasDrift, \.hasConsistency, \.hasSplit, \.hasForce, \.hasWorkout, \.hasPower,
        ] {
            #expect(Set(Self.pieces.map { $0[keyPath: figure] }) == [true, false])
        }
    }

    @Test func countsForTheDayOfTheClub() throws {
        let training = Self.pieces[0]
        let zone = ClubCalendar(
            name: "+10",
            TimeZoneRules(
                initial: .init(seconds: 36_000, isDaylight: false, abbreviation: "+10"), changes: [],
                future: nil))
        let decoded = try #require(
            PieceTraining(decoding: training.encode(), of: training.metrics.name, in: zone))
        #expect(training.metrics.startedOn.distance(to: decoded.metrics.startedOn) == 1, "18:00 UTC")
    }

    @Test func refusesDamagedBytes() {
        let training = Self.pieces[2]
        let bytes = training.encode()
        for count in 0..<bytes.count {
            #expect(
                PieceTraining(decoding: Array(bytes[..<count]), of: training.metrics.name, in: .utc) == nil)
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            var damaged = bytes
            damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
            // Any value or none, but no crash.
            _ = PieceTraining(decoding: damaged, of: training.metrics.name, in: .utc)
        }
    }

    /// Stores keep these bytes. If this fails, a formula or the form has changed: increase `PieceTraining.version`, and
    /// write the new digest here.
    @Test func changedBytesHaveANewVersion() {
        #expect(PieceTraining.version == 1)
        #expect(
            SHA256Digest.hexadecimal(of: Self.pieces.map { $0.encode() })
                == "b28d054514ca713b1b7b9928457bc4ddb65e10f6f9726e5fa88c354eb7732d8c")
    }
}

extension PieceTraining {
    fileprivate var hasDrift: Bool { drift.value != nil }
    fileprivate var hasConsistency: Bool { consistency.value != nil }
    fileprivate var hasSplit: Bool { split.value != nil }
    fileprivate var hasForce: Bool { force.value != nil }
    fileprivate var hasWorkout: Bool { workout != nil }
    fileprivate var hasPower: Bool { normalized != nil }
}
