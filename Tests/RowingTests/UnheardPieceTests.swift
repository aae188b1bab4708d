import PM5Codec
import PM5Simulator
import Testing

@testable import Rowing

/// A piece that is over before a link has told its first status.
@Suite struct UnheardPieceTests {
    /// What the rower does behind the piece.
    enum Next: CaseIterable { case nothing, armsAgain, rowsAgain, isLost }

    @Test(arguments: Next.allCases, [1, 7])
    func whatWasHeardOfAPieceIsTold(_ next: Next, from first: Int) throws {
        // Goal: strokes before the first status of a link are those of a session. Method: the link is
        // lost before a piece and back in it; no status until the piece is over.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        pm5.loseLink(2000)
        pm5.row(first - 1)
        pm5.filter = Self.untimed
        pm5.regainLink()
        pm5.row(11 - first)
        pm5.end(lap: false)
        if next != .nothing { pm5.arm() }
        if next == .rowsAgain { pm5.row(2) }
        if next == .isLost {
            pm5.loseLink(3000)
            pm5.regainLink()
        }
        pm5.filter = { $0 }
        if next == .rowsAgain { pm5.row(2) }
        pm5.pass(8000)
        let fold = pm5.fold
        let strokes = fold.strokes.filter { $0.session.text == "S1" }
        #expect(strokes.map(\.number) == Array(first...10))
        #expect(strokes.last?.elapsed == .seconds(25))
        let gaps = fold.gaps.filter { $0.session.text == "S1" }
        #expect(gaps.map(\.strokes) == (first == 1 ? [] : [1...first - 1]))
        #expect(gaps.allSatisfy { $0.reason == .linkLost })
        let edges = fold.edges.filter { $0.session.text == "S1" }
        #expect(edges.map(\.kind) == [.started, .ended])
        let summary = try #require(fold.summaries.first)
        #expect(summary.session.text == "S1" && summary.distance == Meters(100))
        #expect(summary.isVerifiedAgainstMonitor == true)
        let others = fold.strokes.filter { $0.session.text != "S1" }
        #expect(others.map(\.number) == (next == .rowsAgain ? [1, 2, 3, 4] : []))
    }

    private static func untimed(_ notification: PM5Codec.Notification) -> PM5Codec.Notification? {
        StarvedStatusTests.timed.contains(type(of: notification.payload).characteristic)
            ? nil : notification
    }

    @Test(arguments: [false, true])
    func aPieceOfWhichOnlyTheEndIsHeardIsTold(hasSummary: Bool) throws {
        // Goal: a monitor that was armed and shows a result has been rowed on. Method: a piece while
        // the link is lost; its summary comes before the first status, or never.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        pm5.loseLink(2000)
        pm5.row(10)
        pm5.end(summary: false, lap: false)
        pm5.regainLink()
        if hasSummary { pm5.sendSummary() }
        pm5.pass(8000)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.edges.last?.monitorStrokes == nil)
        #expect(pm5.fold.gaps.map(\.isUncounted) == [true])
        #expect(pm5.fold.gaps.map(\.strokes) == [nil])
        let summary = try #require(pm5.fold.summaries.last)
        #expect(summary.distance == Meters(100) && summary.result == .seconds(25))
        #expect(summary.isVerifiedAgainstMonitor == (hasSummary ? true : nil))
        #expect(pm5.fold.states.last?.activity == .finished)
    }

    @Test func aPieceOfWhichOnlyTheResultIsHeardIsTold() throws {
        // Goal: the monitor sends a result as a piece ends. Method: its summary alone, behind a link
        // that is back too late; then the monitor is armed again.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        pm5.loseLink(2000)
        pm5.row(10)
        pm5.end(summary: false, lap: false)
        pm5.filter = Self.untimed
        pm5.regainLink()
        pm5.sendSummary()
        pm5.arm()
        pm5.filter = { $0 }
        pm5.pass(8000)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.gaps.map(\.isUncounted) == [true])
        #expect(pm5.fold.gaps.map(\.isRecovered) == [false])
        let summary = try #require(pm5.fold.summaries.last)
        #expect(summary.distance == Meters(100) && summary.result == .seconds(25))
    }

    @Test func aResultThatWasToldIsNoOtherPiece() throws {
        // Goal: what stands on the screen is told once. Method: the link is lost behind the end, and
        // the summary comes once more before the first status, with the heart rate of a minute later.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        pm5.row(10)
        pm5.end(lap: false)
        pm5.loseLink(30_000)
        pm5.regainLink()
        pm5.sendSummary(recovery: 90)
        pm5.pass(8000)
        pm5.loseLink(30_000)
        pm5.regainLink()
        pm5.pass(8000)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.summaries.map(\.recoveryHeartRate) == [nil, 90])
        #expect(pm5.fold.gaps.isEmpty)
    }

    @Test func aMonitorThatWasLentTellsNothing() {
        // Goal: what somebody else does with it is nobody's loss. Method: released, a piece, back.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        pm5.loseLink()
        pm5.fold.machine.monitorReleased(at: pm5.fold.instant, into: &pm5.fold.events)
        pm5.row(10)
        pm5.end(lap: false)
        pm5.regainLink()
        pm5.pass(8000)
        #expect(pm5.fold.edges.isEmpty && pm5.fold.gaps.isEmpty)
    }

    @Test(arguments: [false, true])
    func aPieceBehindALostOneIsItsOwn(isHeard: Bool) throws {
        // Goal: a piece that is over by the first status is not the one that the link was lost in.
        // Method: lost in a just row; a shorter one is rowed to its end, heard at its last strokes
        // and armed again, or seen at its end alone.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(10)
        pm5.loseLink()
        pm5.end(.terminate)
        pm5.arm()
        pm5.row(3)
        pm5.filter = Self.untimed
        if isHeard { pm5.regainLink() }
        pm5.row(4)
        pm5.end(.terminate, summary: isHeard, lap: false)
        if isHeard { pm5.arm() } else { pm5.regainLink() }
        pm5.filter = { $0 }
        pm5.pass(8000)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started, .ended])
        let last = pm5.fold.strokes.filter { $0.session.text == "S2" }
        #expect(last.map(\.number) == (isHeard ? [4, 5, 6, 7] : []))
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(100), Meters(70)])
        let gaps = pm5.fold.gaps.filter { $0.session.text == "S2" }
        #expect(gaps.map(\.strokes) == [isHeard ? 1...3 : nil])
        #expect(gaps.map(\.isUncounted) == [!isHeard])
    }

    @Test(arguments: ["100m", "0:30", "2x50m/0:10r", "3x0:15/0:10r", "just-row/0:35"])
    func noStrokeThatCameIsLostInSilence(_ workout: String) throws {
        // Goal: a stroke that came is told once, or declared. Method: pieces rowed one behind the
        // other; the link lost at moments all over, and no status for a while behind its return.
        let air = try Airwaves(workout, seed: 5, repeatingFor: 420_000)
        let absences = [(25_000, 20_000), (40_000, 45_000), (70_000, 60_000)]
        for (length, starved) in absences {
            for start in stride(from: 2_000, through: 200_000, by: 5_700) {
                let back = start + length
                let heard = air.starved(back..<back + starved)
                let fold = heard.folded(deaf: start..<back)
                let name = "\(workout), lost from \(start) ms for \(length), starved \(starved)"
                let drives = try heard.drives(outside: start..<back)
                let told = fold.strokes.reduce(into: [:], Airwaves.count)
                for (drive, times) in told {
                    #expect(times <= drives[drive] ?? 0, "\(name), \(drive) told \(times) times")
                }
                guard !workout.hasPrefix("just-row") else {
                    // A last stroke is told as the next piece is noticed, so that only its drive tells.
                    let isLost = drives.contains { $0.value > told[$0.key] ?? 0 }
                    #expect(!isLost || fold.gaps.contains(where: \.isUncounted), "\(name)")
                    continue
                }
                for (piece, counts) in try heard.strokes(outside: start..<back) {
                    let told = fold.strokes.filter { air.piece(at: $0.at) == piece }.map(\.number)
                    let gaps = fold.gaps.filter { air.piece(at: $0.at) == piece }
                    let declared = gaps.flatMap { $0.strokes.map(Array.init) ?? [] }
                    #expect(
                        counts.isSubset(of: told + declared) || gaps.contains(where: \.isUncounted),
                        "\(name), piece \(piece)")
                }
            }
        }
    }
}

extension Airwaves {
    /// The packets of strokes that came, by piece.
    private func packets(outside deaf: Range<Int>) throws -> [(piece: Int, packet: StrokeData)] {
        try values.filter { $0.id == .strokeData && !deaf.contains($0.at) }.compactMap { value in
            let decoded = try value.bytes.withUnsafeBytes {
                try PM5Codec.Notification(characteristic: value.id, bytes: $0)
            }
            guard case .strokeData(let packet) = decoded, packet.strokeCount > 0 else { return nil }
            return (piece(at: Fold.instant(60_000 + value.at)), packet)
        }
    }

    /// The counts of the strokes that came, by piece.
    fileprivate func strokes(outside deaf: Range<Int>) throws -> [Int: Set<Int>] {
        try packets(outside: deaf).reduce(into: [:]) { counts, came in
            counts[came.piece, default: []].insert(Int(came.packet.strokeCount))
        }
    }

    /// How often drives of the same forces came: strokes are told apart by them, if not all first ones.
    fileprivate func drives(outside deaf: Range<Int>) throws -> [String: Int] {
        var (drives, last) = ([String: Int](), "")
        for (piece, packet) in try packets(outside: deaf) {
            let peak = Newtons(deciPoundsForce: Int64(packet.peakDriveForceTenthsOfPound))
            let average = Newtons(deciPoundsForce: Int64(packet.averageDriveForceTenthsOfPound))
            let drive = "\(peak) \(average) \(packet.driveLengthCentimeters)"
            // Both packets of a stroke tell its drive.
            let stroke = "\(drive) \(piece) \(packet.strokeCount)"
            if stroke != last { drives[drive, default: 0] += 1 }
            last = stroke
        }
        return drives
    }

    fileprivate static func count(_ drives: inout [String: Int], _ stroke: Stroke) {
        guard let peak = stroke.peakForce, let average = stroke.averageForce,
            let length = stroke.driveLength
        else { return }
        drives["\(peak) \(average) \(length.millimeters / 10)", default: 0] += 1
    }
}
