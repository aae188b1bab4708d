import Testing
import Timeline

@testable import PM5Codec
@testable import Rowing

/// Pieces among buffered packets.
@Suite struct UnseenPiecesTests {
    private static func stroke(_ count: UInt16, at seconds: Int) -> EarlyPackets.Entry {
        var packet = StrokeData.blank
        packet.strokeCount = count
        packet.elapsedCentiseconds = UInt32(count) * 250
        return EarlyPackets.Entry(packet: .strokeData(packet), at: instant(seconds))
    }

    private static func result(at seconds: Int) -> EarlyPackets.Entry {
        EarlyPackets.Entry(packet: .workoutSummary(.blank), at: instant(seconds))
    }

    private static func instant(_ seconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    /// A status of a piece in progress.
    private static func status(at seconds: UInt32) -> GeneralStatus {
        var status = GeneralStatus.blank
        status.workoutState = .workoutRow
        status.elapsedCentiseconds = seconds * 100
        return status
    }

    private static func find(
        _ packets: [EarlyPackets.Entry], before status: GeneralStatus? = nil, isFirstOfLink: Bool = false
    ) -> UnseenPieces {
        UnseenPieces(in: packets, before: status, isInterval: false, isFirstOfLink: isFirstOfLink)
    }

    @Test func separatesPiecesAtResult() {
        let unseen = Self.find([
            Self.stroke(1, at: 1), Self.stroke(2, at: 3), Self.result(at: 9), Self.stroke(1, at: 20),
            Self.stroke(2, at: 22),
        ])
        #expect(unseen.pieces.map(\.packets.count) == [2, 2])
        #expect(unseen.pieces.map(\.preceding.count) == [0, 1])
        #expect(unseen.pieces.map(\.first.at) == [Self.instant(1), Self.instant(20)])
        #expect(unseen.rest.isEmpty && unseen.end == nil)
    }

    @Test func separatesPiecesWhereStrokeNumbersRestart() {
        let unseen = Self.find([
            Self.stroke(1, at: 1), Self.stroke(2, at: 3), Self.stroke(1, at: 20), Self.stroke(2, at: 22),
        ])
        #expect(unseen.pieces.map(\.packets.count) == [2, 2])
    }

    @Test func leavesPieceThatStatusShowsInProgress() {
        let unseen = Self.find(
            [Self.stroke(1, at: 1), Self.stroke(2, at: 3), Self.stroke(1, at: 20), Self.stroke(2, at: 22)],
            before: Self.status(at: 6))
        #expect(unseen.pieces.count == 1 && unseen.rest.count == 2)
        #expect(unseen.end == Self.instant(20))
    }

    @Test func endsLastPieceWithItsResult() {
        let unseen = Self.find([Self.stroke(1, at: 1), Self.stroke(2, at: 3), Self.result(at: 9)])
        #expect(unseen.pieces.count == 1)
        #expect(unseen.end == Self.instant(9))
    }

    @Test(arguments: [false, true])
    func acceptsPieceWithoutFirstStrokeOnlyOnNewLink(isFirstOfLink: Bool) {
        let unseen = Self.find([Self.stroke(5, at: 1), Self.stroke(6, at: 3)], isFirstOfLink: isFirstOfLink)
        #expect(unseen.pieces.map(\.mayLackBeginning) == (isFirstOfLink ? [true] : []))
    }
}
