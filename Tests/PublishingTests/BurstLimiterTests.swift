import Testing

@testable import Publishing
@testable import Timeline

struct BurstLimiterTests {
    @Test func suppressesTriggersWithinAPause() {
        let start = BootInstant(nanoseconds: 0)
        func at(_ milliseconds: Int) -> BootInstant {
            start.advanced(by: .milliseconds(milliseconds))
        }
        var limiter = BurstLimiter(pause: .seconds(2))
        #expect(limiter.due == nil)
        let first = limiter.trigger(at: start)
        #expect(first == 1 && limiter.due == nil)
        let followed = (1...1000).compactMap { limiter.trigger(at: at($0)) }
        #expect(followed == [] && limiter.due == at(2000))
        let (early, late) = (limiter.isDue(at: at(1999)), limiter.isDue(at: at(2000)))
        #expect(!early && late && limiter.due == nil)
        let soon = limiter.trigger(at: at(2500))
        #expect(soon == nil && limiter.due == at(4000))
        let next = limiter.trigger(at: at(4100))
        #expect(next == 2 && limiter.due == nil, "includes the suppressed trigger")
    }

    @Test func allowsABurst() {
        let start = BootInstant(nanoseconds: 0)
        var limiter = BurstLimiter(pause: .seconds(60), burst: 3)
        let answers = (0..<5).map { _ in limiter.trigger(at: start) }
        #expect(answers == [1, 1, 1, nil, nil])
        let later = limiter.trigger(at: start.advanced(by: .seconds(60)))
        #expect(later == 3)
    }
}
