import Testing

@testable import PM5Codec
@testable import Rowing
@testable import Timeline

@Suite struct ForcePlotPollerTests {
    /// The monitor's side of the poll; times in milliseconds.
    private struct Bench {
        var poller = ForcePlotPoller()
        var actions: [ForcePlotPoller.Action] = []
        var milliseconds = 1000
        var toggle = false

        var now: BootInstant { BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000) }
        var writes: Int {
            actions.count { if case .write = $0 { true } else { false } }
        }
        var curves: [PolledForceCurve] {
            actions.compactMap { if case .finish(let curve) = $0 { curve } else { nil } }
        }

        mutating func receive(_ id: CharacteristicID, _ bytes: [UInt8]) {
            bytes.withUnsafeBytes { poller.receive(id, $0, at: now, into: &actions) }
        }

        mutating func status(_ state: StrokeState) {
            let packet = GeneralStatus(strokeState: state)
            receive(.generalStatus, packet.notificationBytes(carrier: .dedicated))
        }

        mutating func pass(_ time: Int) {
            let end = milliseconds + time
            while milliseconds < end {
                milliseconds += 5
                poller.tick(at: now, into: &actions)
            }
        }

        /// Returns the next reply. Bytes after the valid ones are stale.
        mutating func reply(
            _ samples: [UInt16], _ previous: StatusByte.PreviousFrame = .ok,
            sameToggle: Bool = false
        ) -> [UInt8] {
            if !sameToggle { toggle.toggle() }
            let block = Reply(
                answering: .forcePlot(byteCount: 32), SampleBlock(samples), in: .userConfiguration)
            return Response(
                status: StatusByte(toggle: toggle, previousFrame: previous, state: .inUse),
                replies: previous == .ok ? [Reply(.userConfiguration, [block])] : []
            ).frame().bytes
        }

        mutating func answer(_ samples: [UInt16]) { receive(.csafeOut, reply(samples)) }
    }

    private static let full = (1...16).map { UInt16($0 * 10) }

    @Test func pollsOneCurvePerDrive() throws {
        // Three replies around the end of a drive. Requests are sent one at a time, 50 ms apart.
        var bench = Bench()
        bench.pass(500)
        #expect(bench.actions.isEmpty && bench.poller.nextTick == nil)
        bench.status(.driving)
        #expect(
            bench.actions == [.write([[0xF1, 0x1A, 0x03, 0x6B, 0x01, 0x20, 0x53, 0xF2]])])
        bench.pass(80)
        #expect(bench.writes == 1)
        bench.answer([1, 2, 300])
        #expect(bench.writes == 1)
        bench.pass(45)
        #expect(bench.writes == 1, "50 ms after the reply")
        bench.pass(5)
        #expect(bench.writes == 2)
        bench.pass(70)
        bench.status(.recovery)
        let ended = bench.now
        bench.pass(5)
        bench.answer([4])
        #expect(bench.curves.isEmpty, "asked within the drive: there may be more")
        bench.pass(50)
        #expect(bench.writes == 3)
        bench.pass(75)
        bench.answer(Self.full)
        bench.pass(125)
        bench.answer([5, 6])
        #expect(
            bench.curves == [
                PolledForceCurve(
                    ended: ended, isComplete: true,
                    poundsForce: [1, 2, 300, 4] + Self.full + [5, 6])
            ])
        bench.pass(5000)
        #expect(bench.writes == 4, "no request in the recovery")
    }

    @Test func acceptsRepliesSplitAnywhere() {
        // Splits the reply at every byte, and into single bytes. Samples include 0xF0 to 0xF3, so some
        // splits divide a stuffed pair.
        let samples: [UInt16] = [0xF0, 0xF1, 0xF2, 0xF3, 0x00F2]
        var probe = Bench()
        let length = probe.reply(samples).count
        #expect(length > 40)
        for cut in 0..<length {
            var bench = Bench()
            bench.status(.driving)
            bench.pass(5)
            bench.status(.recovery)
            bench.answer([])
            bench.receive(.csafeOut, [0x00])
            bench.pass(100)
            let bytes = bench.reply(samples)
            let pieces =
                cut == 0 ? bytes.map { [$0] } : [Array(bytes[..<cut]), Array(bytes[cut...])]
            for piece in pieces { bench.receive(.csafeOut, piece) }
            #expect(bench.curves.map(\.poundsForce) == [samples], "cut at \(cut)")
        }
    }

    @Test func pollsShortDriveAtItsEnd() {
        // Only 0x0035, twice.
        var bench = Bench()
        bench.status(.recovery)
        let packet = StrokeData(strokeCount: 7).notificationBytes(carrier: .dedicated)
        bench.receive(.strokeData, packet)
        let ended = bench.now
        #expect(bench.writes == 1)
        bench.pass(75)
        bench.answer([9, 8])
        #expect(
            bench.curves
                == [PolledForceCurve(ended: ended, isComplete: true, poundsForce: [9, 8])])
        bench.pass(1000)
        bench.receive(.strokeData, packet)
        #expect(bench.writes == 1, "the second packet of a stroke is not another drive")
    }

    @Test func repeatsUnansweredRequestAndMarksCurve() {
        // The reply is lost, or only late.
        for isLate in [false, true] {
            var bench = Bench()
            bench.status(.driving)
            bench.status(.recovery)
            bench.pass(1995)
            #expect(bench.writes == 1)
            bench.pass(5)
            #expect(bench.writes == 2)
            if isLate {
                bench.answer([1, 2])
                #expect(bench.curves.isEmpty == false)
            } else {
                // The lost reply changed the toggle bit.
                bench.toggle.toggle()
                bench.answer([3])
            }
            #expect(bench.curves.map(\.isComplete) == [false])
        }
    }

    @Test func dropsDuplicateReply() {
        // The same frame twice, then the next one.
        var bench = Bench()
        bench.status(.driving)
        let reply = bench.reply([1, 2])
        bench.receive(.csafeOut, reply)
        bench.receive(.csafeOut, reply)
        #expect(bench.poller.duplicates == 1)
        bench.pass(100)
        bench.receive(.csafeOut, reply)
        bench.answer([3])
        bench.status(.recovery)
        bench.pass(100)
        bench.answer([])
        #expect(bench.curves.map(\.poundsForce) == [[1, 2, 3]])
    }

    @Test func stopsPollingAfterRejections() {
        // Rejects up to one short of the limit, a good answer, then rejects up to the limit.
        var bench = Bench()
        bench.status(.driving)
        for _ in 1..<ForcePlotPoller.failureLimit {
            bench.receive(.csafeOut, bench.reply([], .reject, sameToggle: true))
            bench.pass(100)
        }
        #expect(!bench.poller.isStopped)
        bench.answer([1])
        for _ in 0..<ForcePlotPoller.failureLimit {
            #expect(!bench.poller.isStopped)
            bench.pass(100)
            bench.receive(.csafeOut, bench.reply([], .reject, sameToggle: true))
        }
        #expect(bench.poller.isStopped)
        let writes = bench.writes
        bench.status(.recovery)
        bench.status(.driving)
        bench.pass(5000)
        #expect(bench.writes == writes)
    }

    @Test func stopsPollingWhenMonitorSendsCurves() {
        // One piece of 0x3D through 0x0080.
        var bench = Bench()
        let piece = ForceCurvePiece(pieceCount: 1, sequence: 0, samples: ForceSamples([1, 2]))
        bench.receive(.multiplexed, piece.notificationBytes(carrier: .multiplexed))
        #expect(bench.poller.isStopped)
    }

    @Test func isNeededOnlyWithout003D() {
        // Three monitors: with 0x003D, without CSAFE replies, and with neither.
        var monitor = MonitorIdentity(serial: "430000001", address: "", adapter: "hci0")
        monitor.notifying = [.generalStatus, .csafeOut]
        #expect(ForcePlotPoller.isNeeded(by: monitor))
        monitor.notifying.append(.forceCurve)
        #expect(!ForcePlotPoller.isNeeded(by: monitor))
        monitor.notifying = [.generalStatus]
        #expect(!ForcePlotPoller.isNeeded(by: monitor))
    }
}
