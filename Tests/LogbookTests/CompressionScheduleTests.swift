import Testing
import Timeline

@testable import Logbook
@testable import LogbookStores

/// When stored records are compressed.
@Suite struct CompressionScheduleTests {
    private let start = BootInstant(nanoseconds: 5)

    private func after(_ seconds: Int64) -> BootInstant { start.advanced(by: .seconds(seconds)) }

    @Test func beginsOneMinuteAfterTheStart() {
        var schedule = CompressionSchedule()
        #expect(schedule.next(at: start) == nil && schedule.next(at: after(59)) == nil)
        #expect(schedule.next(at: after(60)) == CompressionPass())
    }

    @Test func continuesAPassUntilItIsDone() throws {
        var schedule = CompressionSchedule()
        _ = schedule.next(at: start)
        let due = schedule.next(at: after(60))
        let pass = try #require(due)
        schedule.update(pass)
        #expect(schedule.next(at: after(61)) == pass)
        schedule.update(.nothing)
        #expect(schedule.next(at: after(62)) == nil && schedule.next(at: after(3659)) == nil)
        #expect(schedule.next(at: after(3660)) == CompressionPass())
    }

    @Test func waitsAnHourAfterAFailure() {
        var schedule = CompressionSchedule()
        _ = schedule.next(at: start)
        _ = schedule.next(at: after(60))
        schedule.cancel()
        #expect(schedule.next(at: after(61)) == nil)
        #expect(schedule.next(at: after(3660)) == CompressionPass())
    }
}
