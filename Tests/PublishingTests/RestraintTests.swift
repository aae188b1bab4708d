import Testing

@testable import Publishing
@testable import Timeline

struct RestraintTests {
    /// Goal: what others call for is done at once, then once a pause however often they call, and
    /// the last call is followed too. Method: a thousand calls within a pause, and the ends of pauses.
    @Test func manyCallsAreFollowedOnce() {
        let start = BootInstant(nanoseconds: 0)
        func at(_ milliseconds: Int) -> BootInstant {
            start.advanced(by: .milliseconds(milliseconds))
        }
        var restraint = Restraint(pause: .seconds(2))
        #expect(restraint.due == nil)
        let first = restraint.call(at: start)
        #expect(first == 1 && restraint.due == nil)
        let followed = (1...1000).compactMap { restraint.call(at: at($0)) }
        #expect(followed == [] && restraint.due == at(2000))
        let (early, late) = (restraint.isDue(at: at(1999)), restraint.isDue(at: at(2000)))
        #expect(!early && late && restraint.due == nil)
        let soon = restraint.call(at: at(2500))
        #expect(soon == nil && restraint.due == at(4000))
        let next = restraint.call(at: at(4100))
        #expect(next == 2 && restraint.due == nil, "with the one that was not followed")
    }

    /// Goal: a few in a row are nothing to hold back. Method: a burst of three.
    @Test func aBurstIsFollowed() {
        let start = BootInstant(nanoseconds: 0)
        var restraint = Restraint(pause: .seconds(60), burst: 3)
        let answers = (0..<5).map { _ in restraint.call(at: start) }
        #expect(answers == [1, 1, 1, nil, nil])
        let later = restraint.call(at: start.advanced(by: .seconds(60)))
        #expect(later == 3)
    }
}
