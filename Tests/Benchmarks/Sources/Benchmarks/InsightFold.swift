import AllocationCount
import Contract
import Insights
import PM5Codec
import Rowing
import Timeline

/// Folds a recording as the daemon does, with or without insights: events are judged as they come, a
/// moment every half second, and the room once a second.
struct InsightFold {
    /// Every rule that an erg can have.
    static let everything: AlertSettings = {
        var settings = AlertSettings()
        settings.rules.formUnion([.powerCollapse, .heartRateLost])
        settings.highestHeartRate = 180
        settings.paces = Pace(millisecondsPer500m: 90_000)...Pace(millisecondsPer500m: 150_000)
        (settings.rates, settings.drags) = (16...34, 90...150)
        return settings
    }()
    private static let tick = 500

    private let erg = StationID("erg-1")!
    private var machine = SessionMachine(makeSessionID: { SessionID("S") })
    private var events: [SessionEvent] = []
    private var insights: ErgInsights?
    private var found: [Insight] = []
    private var share = ErgStrokeSums()
    private var room = RoomInsights()
    private var milliseconds = 0
    /// Moments that found nothing, and the allocations that they made.
    private var quiet = 0
    private var allocations: UInt = 0

    /// - Parameter settings: nil without insights.
    init(_ settings: AlertSettings?) {
        insights = settings.map { ErgInsights($0) { "A" } }
        room.crews = Crew(CrewID("one")!, [erg]).map { [$0] } ?? []
        events.reserveCapacity(16)
        found.reserveCapacity(16)
    }

    /// The strokes of a recording.
    consuming func strokes(of values: [Corpus.Value]) -> Int {
        fold(values)
    }

    /// Allocations in moments without a result of any rule, and the number of those moments.
    static func allocationsWithoutFinds(in values: [Corpus.Value]) -> (UInt, quiet: Int) {
        // Runs once before the measurement, because of allocations at the first use.
        _ = InsightFold(everything).strokes(of: values)
        var fold = InsightFold(everything)
        _ = fold.fold(values)
        return (fold.allocations, fold.quiet)
    }

    private mutating func fold(_ values: [Corpus.Value]) -> Int {
        var strokes = 0
        machine.linkOpened(at: Self.instant(0), into: &events)
        for value in values {
            while milliseconds + Self.tick <= value.milliseconds { passTick() }
            let now = Self.instant(value.milliseconds)
            machine.receive(value.characteristic, value.bytes, at: now, into: &events)
            guard !events.isEmpty else { continue }
            for event in events {
                if case .stroke = event { strokes += 1 }
                insights?.handle(event, at: now, into: &found)
                if insights != nil { share.add(event) }
            }
            events.removeAll(keepingCapacity: true)
            found.removeAll(keepingCapacity: true)
        }
        return strokes
    }

    private mutating func passTick() {
        milliseconds += Self.tick
        let now = Self.instant(milliseconds)
        machine.tick(at: now, into: &events)
        guard insights != nil else { return }
        let before = allocation_count()
        let moment = ErgMoment(isLinkLost: false, sample: machine.live(at: now))
        insights?.evaluate(moment, at: now, into: &found)
        if found.isEmpty {
            quiet += 1
            allocations += allocation_count() - before
        }
        guard milliseconds.isMultiple(of: 1000) else { return }
        let reading = ErgReading(erg: erg, sample: machine.live(at: now), sums: share.drain())
        _ = room.add([reading], at: now)
        precondition(room.crews.allSatisfy { room.statistics(of: $0)?.ergs != [] })
    }

    private static func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: (3_600_000 + UInt64(milliseconds)) * 1_000_000)
    }
}
