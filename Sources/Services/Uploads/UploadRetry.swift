/// When an upload that failed is attempted again.
package enum UploadRetry {
    /// Seconds after the first, second, ... attempt; later ones follow the last.
    private static let delays: [Int64] = [60, 300, 1800, 7200, 18_000, 36_000, 43_200]
    /// The number of attempts in a week, after which a person has to decide.
    package static let maximumAttempts = 18

    /// Returns the seconds until the next attempt; nil if there is none.
    ///
    /// - Parameters:
    ///   - attempts: the number of failed attempts, at least 1.
    ///   - asked: what the service asks for: seconds.
    ///   - random: spreads the attempts of many uploads over a tenth of the time.
    package static func delay(after attempts: Int, asked: Int64?, random: UInt64) -> Int64? {
        guard attempts < maximumAttempts else { return nil }
        let delay = delays[min(max(attempts, 1), delays.count) - 1]
        let spread = Int64(random % UInt64(delay / 10 + 1))
        // Never longer than a day: a service can send any number.
        return max(delay + spread, min(asked ?? 0, 86_400))
    }
}
