import PM5Codec
import Rowing
import Timeline

/// A session machine under test, and its events.
struct MachineHarness {
    var machine: SessionMachine
    var events: [SessionEvent] = []
    /// The boot clock, in milliseconds.
    var now: Int

    /// Opens the link at `milliseconds` since boot.
    init(at milliseconds: Int = 1_000_000, connects: Bool = true, sessions prefix: String = "S") {
        let names = Names(prefix)
        machine = SessionMachine(makeSessionID: names.next)
        now = milliseconds
        if connects { linkOpens() }
    }

    static func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(bitPattern: Int64(milliseconds) * 1_000_000))
    }

    var instant: BootInstant { Self.instant(now) }

    var live: MetricsSample? { machine.live(at: instant) }

    mutating func linkOpens() { machine.linkOpened(at: instant, into: &events) }
    mutating func linkCloses() { machine.linkClosed(at: instant, into: &events) }

    /// Advances the time with a tick every 250 ms, as the daemon does.
    mutating func wait(_ milliseconds: Int) {
        let end = now + milliseconds
        while now + 250 <= end {
            now += 250
            machine.tick(at: instant, into: &events)
        }
        now = end
    }

    mutating func send(_ notification: PM5Codec.Notification) {
        machine.receive(notification, at: instant, into: &events)
    }

    mutating func send(_ characteristic: CharacteristicID, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { machine.receive(characteristic, $0, at: instant, into: &events) }
    }

    var strokes: [Stroke] { events.compactMap { if case .stroke(let it) = $0 { it } else { nil } } }
    var curves: [ForceCurve] {
        events.compactMap { if case .force(let it) = $0 { it } else { nil } }
    }
    var splits: [Split] { events.compactMap { if case .split(let it) = $0 { it } else { nil } } }
    var summaries: [Summary] {
        events.compactMap { if case .summary(let it) = $0 { it } else { nil } }
    }
    private var allGaps: [Gap] {
        events.compactMap { if case .gap(let it) = $0 { it } else { nil } }
    }
    /// Gaps of strokes or time.
    var gaps: [Gap] { allGaps.filter { $0.splits == nil } }
    var splitGaps: [Gap] { allGaps.filter { $0.splits != nil } }
    /// Gaps of splits.
    var missingSplits: [Int] { splitGaps.flatMap { $0.splits.map(Array.init) ?? [] } }
    var edges: [SessionTransition] {
        events.compactMap { if case .session(let it) = $0 { it } else { nil } }
    }
    var states: [StationState] {
        events.compactMap { if case .state(let it) = $0 { it } else { nil } }
    }
}

/// Predictable session IDs: S1, S2, ...
private final class Names: @unchecked Sendable {
    // @unchecked: only the machine that owns it calls it, from one thread.
    private var count = 0
    private let prefix: String

    init(_ prefix: String) { self.prefix = prefix }

    @Sendable func next() -> SessionID {
        count += 1
        return SessionID("\(prefix)\(count)")
    }
}
