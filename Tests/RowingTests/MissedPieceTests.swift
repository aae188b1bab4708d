import PM5Codec
import PM5Simulator
import Testing

@testable import Rowing

/// A piece is over before the first status of a link.
@Suite struct MissedPieceTests {
    /// The rower's action after the piece.
    enum Next: CaseIterable { case nothing, armsAgain, rowsAgain, isLost }

    @Test(arguments: Next.allCases, [1, 7])
    func publishesReceivedStrokesOfMissedPiece(_ next: Next, from first: Int) throws {
        // The link is lost before a piece and returns in it; no status arrives until the piece is over.
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
        let harness = pm5.harness
        let strokes = harness.strokes.filter { $0.session.text == "S1" }
        #expect(strokes.map(\.number) == Array(first...10))
        #expect(strokes.last?.elapsed == .seconds(25))
        let gaps = harness.gaps.filter { $0.session.text == "S1" }
        #expect(gaps.map(\.strokes) == (first == 1 ? [] : [1...first - 1]))
        #expect(gaps.allSatisfy { $0.reason == .linkLost })
        let edges = harness.edges.filter { $0.session.text == "S1" }
        #expect(edges.map(\.kind) == [.started, .ended])
        let summary = try #require(harness.summaries.first)
        #expect(summary.session.text == "S1" && summary.distance == Meters(100))
        #expect(summary.isVerifiedAgainstMonitor == true)
        let others = harness.strokes.filter { $0.session.text != "S1" }
        #expect(others.map(\.number) == (next == .rowsAgain ? [1, 2, 3, 4] : []))
    }

    private static func untimed(_ notification: PM5Codec.Notification) -> PM5Codec.Notification? {
        BusyMonitorTests.timed.contains(type(of: notification.payload).characteristic)
            ? nil : notification
    }

    @Test(arguments: [false, true])
    func recoversPieceFromItsEnd(hasSummary: Bool) throws {
        // A piece during a lost link. Its summary arrives before the first status, or never.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        pm5.loseLink(2000)
        pm5.row(10)
        pm5.end(summary: false, lap: false)
        pm5.regainLink()
        if hasSummary { pm5.sendSummary() }
        pm5.pass(8000)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.edges.last?.monitorStrokes == nil)
        #expect(pm5.harness.gaps.map(\.isUncounted) == [true])
        #expect(pm5.harness.gaps.map(\.strokes) == [nil])
        let summary = try #require(pm5.harness.summaries.last)
        #expect(summary.distance == Meters(100) && summary.result == .seconds(25))
        #expect(summary.isVerifiedAgainstMonitor == (hasSummary ? true : nil))
        #expect(pm5.harness.states.last?.activity == .finished)
    }

    @Test func recoversPieceFromItsResult() throws {
        // Only its summary arrives, because the link returns too late; then the monitor is armed again.
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
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.gaps.map(\.isUncounted) == [true])
        #expect(pm5.harness.gaps.map(\.isRecovered) == [false])
        let summary = try #require(pm5.harness.summaries.last)
        #expect(summary.distance == Meters(100) && summary.result == .seconds(25))
    }

    @Test func ignoresRepeatedResultAfterReconnect() throws {
        // The link is lost after the end. The summary is repeated before the first status, with the heart
        // rate of a minute later.
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
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.summaries.map(\.recoveryHeartRate) == [nil, 90])
        #expect(pm5.harness.gaps.isEmpty)
    }

    @Test func ignoresPieceDuringRelease() {
        // Released, a piece, back.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        pm5.loseLink()
        pm5.harness.machine.monitorReleased(at: pm5.harness.instant, into: &pm5.harness.events)
        pm5.row(10)
        pm5.end(lap: false)
        pm5.regainLink()
        pm5.pass(8000)
        #expect(pm5.harness.edges.isEmpty && pm5.harness.gaps.isEmpty)
    }

    @Test(arguments: [false, true])
    func separatesPieceAfterLostOne(isReceiving: Bool) throws {
        // Lost in a just row. A shorter one is rowed to its end; its last strokes are received and it is
        // armed again, or only its end is seen.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(10)
        pm5.loseLink()
        pm5.end(.terminate)
        pm5.arm()
        pm5.row(3)
        pm5.filter = Self.untimed
        if isReceiving { pm5.regainLink() }
        pm5.row(4)
        pm5.end(.terminate, summary: isReceiving, lap: false)
        if isReceiving { pm5.arm() } else { pm5.regainLink() }
        pm5.filter = { $0 }
        pm5.pass(8000)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started, .ended])
        let last = pm5.harness.strokes.filter { $0.session.text == "S2" }
        #expect(last.map(\.number) == (isReceiving ? [4, 5, 6, 7] : []))
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(100), Meters(70)])
        let gaps = pm5.harness.gaps.filter { $0.session.text == "S2" }
        #expect(gaps.map(\.strokes) == [isReceiving ? 1...3 : nil])
        #expect(gaps.map(\.isUncounted) == [!isReceiving])
    }

    @Test(arguments: ["100m", "0:30", "2x50m/0:10r", "3x0:15/0:10r", "just-row/0:35"])
    func losesNoReceivedStrokeSilently(_ workout: String) throws {
        // Several pieces in sequence. The link is lost at different moments, and no status arrives for a
        // while after its return.
        let air = try NotificationTrace(workout, seed: 5, repeatingFor: 420_000)
        let absences = [(25_000, 20_000), (40_000, 45_000), (70_000, 60_000)]
        for (length, busyTime) in absences {
            for start in stride(from: 2_000, through: 200_000, by: 5_700) {
                let back = start + length
                let received = air.withoutTimedValues(back..<back + busyTime)
                let harness = received.replayed(outage: start..<back)
                let name = "\(workout), lost from \(start) ms for \(length), busy \(busyTime)"
                let drives = try received.drives(outside: start..<back)
                let published = harness.strokes.reduce(into: [:], NotificationTrace.count)
                for (drive, times) in published {
                    #expect(times <= drives[drive] ?? 0, "\(name), \(drive) published \(times) times")
                }
                guard !workout.hasPrefix("just-row") else {
                    // The last stroke of a piece is published when the next piece is noticed, so only its
                    // drive identifies it.
                    let isLost = drives.contains { $0.value > published[$0.key] ?? 0 }
                    #expect(!isLost || harness.gaps.contains(where: \.isUncounted), "\(name)")
                    continue
                }
                for (piece, counts) in try received.strokes(outside: start..<back) {
                    let published = harness.strokes.filter { air.piece(at: $0.at) == piece }.map(\.number)
                    let gaps = harness.gaps.filter { air.piece(at: $0.at) == piece }
                    let declared = gaps.flatMap { $0.strokes.map(Array.init) ?? [] }
                    #expect(
                        counts.isSubset(of: published + declared) || gaps.contains(where: \.isUncounted),
                        "\(name), piece \(piece)")
                }
            }
        }
    }
}

extension NotificationTrace {
    /// The received stroke packets, by piece.
    private func packets(outside outage: Range<Int>) throws -> [(piece: Int, packet: StrokeData)] {
        try values.filter { $0.id == .strokeData && !outage.contains($0.at) }.compactMap { value in
            let decoded = try value.bytes.withUnsafeBytes {
                try PM5Codec.Notification(characteristic: value.id, bytes: $0)
            }
            guard case .strokeData(let packet) = decoded, packet.strokeCount > 0 else { return nil }
            return (piece(at: MachineHarness.instant(60_000 + value.at)), packet)
        }
    }

    /// The numbers of the received strokes, by piece.
    fileprivate func strokes(outside outage: Range<Int>) throws -> [Int: Set<Int>] {
        try packets(outside: outage).reduce(into: [:]) { counts, came in
            counts[came.piece, default: []].insert(Int(came.packet.strokeCount))
        }
    }

    /// How often drives with the same forces arrived. The forces identify strokes, except first ones.
    fileprivate func drives(outside outage: Range<Int>) throws -> [String: Int] {
        var (drives, last) = ([String: Int](), "")
        for (piece, packet) in try packets(outside: outage) {
            let peak = Newtons(deciPoundsForce: Int64(packet.peakDriveForceTenthsOfPound))
            let average = Newtons(deciPoundsForce: Int64(packet.averageDriveForceTenthsOfPound))
            let drive = "\(peak) \(average) \(packet.driveLengthCentimeters)"
            // Both packets of a stroke have its drive.
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
