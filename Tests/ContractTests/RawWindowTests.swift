import Contract
import Rowing
import Testing
import Timeline

struct RawWindowTests {
    /// Goal: a monitor left on its last screen does not fill the ring; one that rows does.
    /// Method: a day in states, second by second.
    @Test func valuesAreKeptAroundASession() {
        var window = RawWindow()
        func kept(_ activity: ActivityState, _ seconds: Range<UInt64>) -> Int {
            seconds.count {
                window.isOpen(during: activity, at: BootInstant(nanoseconds: $0 * 1_000_000_000))
            }
        }
        #expect(kept(.ready, 0..<100) == 0)
        #expect(kept(.rowing, 100..<200) == 100)
        #expect(kept(.paused, 200..<500) == 300)
        #expect(kept(.resting, 500..<600) == 100)
        #expect(kept(.finished, 600..<80_000) == 90)
        #expect(kept(.idle, 80_000..<80_100) == 0)
        #expect(kept(.rowing, 80_100..<80_101) == 1)
    }
}
