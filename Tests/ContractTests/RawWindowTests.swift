import Contract
import Rowing
import Testing
import Timeline

struct RawWindowTests {
    @Test func storesValuesAroundASession() {
        var window = RawWindow()
        func storedSeconds(_ activity: ActivityState, _ seconds: Range<UInt64>) -> Int {
            seconds.count {
                window.isOpen(during: activity, at: BootInstant(nanoseconds: $0 * 1_000_000_000))
            }
        }
        #expect(storedSeconds(.ready, 0..<100) == 0)
        #expect(storedSeconds(.rowing, 100..<200) == 100)
        #expect(storedSeconds(.paused, 200..<500) == 300)
        #expect(storedSeconds(.resting, 500..<600) == 100)
        #expect(storedSeconds(.finished, 600..<80_000) == 90)
        #expect(storedSeconds(.idle, 80_000..<80_100) == 0)
        #expect(storedSeconds(.rowing, 80_100..<80_101) == 1)
    }
}
