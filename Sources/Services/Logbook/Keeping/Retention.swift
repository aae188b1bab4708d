import Contract
import LogbookStores
import Timeline

/// Which records are old enough to be removed, as the administrator decided, and when that is looked at.
/// A value without a clock.
struct Retention: Sendable {
    /// Between two looks; the first is so long after the start, when gateways have told what they have.
    static let pause = Duration.seconds(3600)
    private static let day: Int64 = 86_400_000

    /// For how long records of a kind are kept; those that are not named, for ever.
    let days: [StreamKind: Int]
    private var passes: [RetentionPass] = []
    private var due: BootInstant?

    init(_ days: [StreamKind: Int] = [:]) { self.days = days }

    /// What a step of removing is to be taken of; nil when nothing is due. A clock that nobody has set
    /// right removes nothing: it could be years ahead.
    mutating func next(at now: BootInstant, _ clock: WallClock) -> RetentionPass? {
        if let pass = passes.last { return pass }
        if days.isEmpty { return nil }
        guard let due, due <= now, clock.isSynchronized else {
            if due == nil { due = now.advanced(by: Self.pause) }
            return nil
        }
        self.due = now.advanced(by: Self.pause)
        passes = RetentionPass.kinds.reversed().compactMap { kind in
            days[kind].map {
                RetentionPass(kind, before: clock.unixMilliseconds(at: now) - Int64($0) * Self.day)
            }
        }
        return passes.last
    }

    /// How far the pass has come.
    mutating func went(_ pass: RetentionPass) {
        passes.removeLast()
        if !pass.isDone { passes.append(pass) }
    }

    /// `force records for 90 days, stroke records for 365`: as the journal says it; nil for all.
    var words: String? {
        if days.isEmpty { return nil }
        return RetentionPass.kinds.compactMap { kind in
            days[kind].map { "\(kind.topicName) records for \($0) \($0 == 1 ? "day" : "days")" }
        }
        .joined(separator: ", ")
    }
}
