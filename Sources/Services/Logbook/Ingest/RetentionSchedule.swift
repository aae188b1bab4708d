import Contract
import LogbookStores
import Timeline

/// Schedules the removal of old records as configured. It has no clock.
struct RetentionSchedule: Sendable {
    /// The interval between removals. The first one is this long after the start, when gateways have
    /// announced their records.
    static let interval = Duration.seconds(3600)
    private static let day: Int64 = 86_400_000

    /// The retention time by kind of record, in days. Other kinds are never removed.
    let days: [StreamKind: Int]
    private var passes: [RetentionPass] = []
    private var due: BootInstant?

    init(_ days: [StreamKind: Int] = [:]) { self.days = days }

    /// Returns the pass to continue; nil if nothing is due. Without a synchronized clock nothing is due,
    /// because the clock could be years ahead.
    mutating func next(at now: BootInstant, _ clock: WallClock) -> RetentionPass? {
        if let pass = passes.last { return pass }
        if days.isEmpty { return nil }
        guard let due, due <= now, clock.isSynchronized else {
            if due == nil { due = now.advanced(by: Self.interval) }
            return nil
        }
        self.due = now.advanced(by: Self.interval)
        passes = RetentionPass.kinds.reversed().compactMap { kind in
            days[kind].map {
                RetentionPass(kind, before: clock.unixMilliseconds(at: now) - Int64($0) * Self.day)
            }
        }
        return passes.last
    }

    /// Updates the current pass after a step.
    mutating func update(_ pass: RetentionPass) {
        passes.removeLast()
        if !pass.isDone { passes.append(pass) }
    }

    /// A text for the log, such as `force records for 90 days, stroke records for 365 days`; nil if nothing
    /// is ever removed.
    var summary: String? {
        if days.isEmpty { return nil }
        return RetentionPass.kinds.compactMap { kind in
            days[kind].map { "\(kind.topicName) records for \($0) \($0 == 1 ? "day" : "days")" }
        }
        .joined(separator: ", ")
    }
}
