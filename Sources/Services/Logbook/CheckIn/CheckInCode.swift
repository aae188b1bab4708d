import Timeline

/// The code of four digits that signed-in walls show. A person who enters it has seen a wall of the club.
///
/// Has no clock and no random numbers of its own.
struct CheckInCode: Sendable {
    /// The time after which the code changes.
    static let period = Duration.seconds(600)
    /// The time for which the former code stays valid after a change.
    static let grace = Duration.seconds(120)
    static let digits = 4
    /// The number of different codes.
    static let count = 10_000

    enum Verdict: Equatable, Sendable {
        case valid
        /// It was valid before the last change.
        case expired
        case wrong
    }

    private var current: Int
    private var former: Int?
    private var changedAt: BootInstant

    /// - Parameter random: 64 random bits.
    init(at now: BootInstant, random: UInt64) {
        current = Int(random % UInt64(Self.count))
        changedAt = now
    }

    /// Changes the code if its time is over.
    ///
    /// - Parameter random: Returns 64 random bits.
    mutating func advance(to now: BootInstant, random: () -> UInt64) {
        let periods = Int(changedAt.duration(to: now) / Self.period)
        guard periods > 0 else { return }
        changedAt = changedAt.advanced(by: Self.period * periods)
        // One of the other codes.
        let drawn = Int(random() % UInt64(Self.count - 1))
        let next = drawn < current ? drawn : drawn + 1
        (former, current) = (periods == 1 ? current : nil, next)
    }

    /// The four digits that the wall shows.
    var text: String { Self.text(of: current) }

    /// The time until the next change.
    func remaining(at now: BootInstant) -> Duration {
        now.duration(to: changedAt.advanced(by: Self.period))
    }

    /// Checks a code that a person entered.
    func verdict(on entered: String, at now: BootInstant) -> Verdict {
        if entered == text { return .valid }
        guard let former, entered == Self.text(of: former) else { return .wrong }
        return changedAt.duration(to: now) < Self.grace ? .valid : .expired
    }

    /// Whether a text consists of four digits.
    static func isWellFormed(_ text: String) -> Bool {
        text.utf8.count == digits
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func text(of code: Int) -> String { String("\(count + code)".dropFirst()) }
}
