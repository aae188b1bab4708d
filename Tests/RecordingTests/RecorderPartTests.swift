import Contract
import HostRuntime
import Rowing
import Testing
import Timeline

@testable import Recording
@testable import RingLog

/// Parts of the recorder, each alone.
struct RecorderPartTests {
    private static let ergs = (1...3).compactMap { StationID("erg-\($0)") }

    private static func update(_ erg: Int) -> StationUpdate {
        StationUpdate(
            station: ergs[erg - 1], at: BootInstant(nanoseconds: 0), events: [], checkpoint: [])
    }

    @Test func holdsLaterReportsOfAnErgBehindItsFirst() {
        let held = HeldUpdates()
        let first = held.hold([Self.update(1), Self.update(2)]) { $0 == Self.ergs[0] }
        #expect(first.others.map(\.station) == [Self.ergs[1]] && first.late == [Self.ergs[0]])
        // The erg no longer has to wait, but its first report has not been recorded.
        let second = held.hold([Self.update(1), Self.update(3)]) { _ in false }
        #expect(second.others.map(\.station) == [Self.ergs[2]])
        let drained = held.drain()
        #expect(drained.map(\.station) == [Self.ergs[0], Self.ergs[0]])
        #expect(held.drain().isEmpty)
    }

    @Test func knowsTheTimeOfARecordOnlyAtItsPosition() {
        let reach = RingReach()
        let (old, new) = (LogPosition(rawValue: 4096), LogPosition(rawValue: 8192))
        #expect(!reach.isLookedUp(.oldest, at: old))
        reach.store(1_000, of: .oldest, at: old)
        #expect(reach.isLookedUp(.oldest, at: old) && reach.time(of: .oldest, at: old) == 1_000)
        #expect(reach.time(of: .oldest, at: new) == nil && reach.time(of: .waiting, at: old) == nil)
        reach.store(nil, of: .waiting, at: new)
        #expect(reach.isLookedUp(.waiting, at: new) && reach.time(of: .waiting, at: new) == nil)
    }

    @Test func runsOneLookUpAtATime() {
        let reach = RingReach()
        let began = [reach.beginLookUp(), reach.beginLookUp()]
        reach.endLookUp()
        #expect(began == [true, false] && reach.beginLookUp())
    }
}
