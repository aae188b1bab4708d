import Testing
import Timeline

@Suite struct ExponentialBackoffTests {
    @Test func doublesFromTheFirstToTheLongestDelay() {
        var backoff = ExponentialBackoff(.seconds(30)...(.seconds(3600)))
        let delays = (1...9).map { _ in backoff.next() }
        #expect(delays == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600].map(Duration.seconds))
        backoff.reset()
        #expect(backoff.failures == 0 && backoff.next() == .seconds(30))
    }

    @Test func staysAtTheLongestDelay() {
        let backoff = ExponentialBackoff(.milliseconds(1)...(.seconds(1)))
        #expect(backoff.delay(after: .max) == .seconds(1))
        #expect(backoff.delay(after: 10) == .seconds(1))
        #expect(backoff.delay(after: 9) == .milliseconds(512))
    }
}
