import Timeline

/// Maximum number of links of one adapter: configured, or learnt from refusals.
///
/// Controllers do not report it. A Broadcom radio of a Pi takes about 7 LE links, a CSR dongle
/// about 5, and many refuse the excess link with the same error as a temporary failure. A limit is
/// therefore learnt only from refusals that a temporary failure cannot explain, and tested again
/// after a while.
struct AdapterSlots: Equatable, Sendable {
    /// This many quick refusals of one monitor in a row mean that the radio is full.
    static let refusalsByOneMonitor = 9
    /// This many refusals of each of two monitors mean the same.
    static let refusalsByEachOfTwo = 3
    /// A radio that has held more links before must report this many times in a row that it is
    /// full.
    static let fullReportsToLowerLimit = 3
    /// After this time a learnt limit is tested with one more link.
    static let learntLimitLifetime = Duration.seconds(600)
    /// With fewer links a refusal has another cause.
    static let smallestLimit = 2

    private let configured: Int?
    private var learned: Int?
    private var learnedAt = BootInstant(nanoseconds: 0)
    private var refusals: [String: Int] = [:]
    private var linksAtRefusal = 0
    private var fullReports = 0
    /// The greatest number of links so far: the limit is not lower.
    private var mostLinks = 0

    init(configured: Int?) { self.configured = configured }

    /// The maximum number of links; nil while unknown.
    func limit(at now: BootInstant) -> Int? {
        if let configured { return configured }
        guard let learned else { return nil }
        return learnedAt.duration(to: now) > Self.learntLimitLifetime ? learned + 1 : learned
    }

    /// Returns the free slots with `links` in use; an adapter of unknown size counts as a large
    /// one.
    func free(links: Int, at now: BootInstant) -> Int {
        max(0, (limit(at: now) ?? 32) - links)
    }

    /// Records that a present monitor was refused at once, while `links` other links existed.
    mutating func noteRefusal(of serial: String, links: Int, at now: BootInstant) {
        guard configured == nil, links >= max(Self.smallestLimit, mostLinks) else { return }
        if links != linksAtRefusal {
            linksAtRefusal = links
            refusals = [:]
        }
        refusals[serial, default: 0] += 1
        let counts = refusals.values.sorted(by: >)
        let oneMonitorDecides = counts[0] >= Self.refusalsByOneMonitor
        let twoMonitorsDecide = counts.count > 1 && counts[1] >= Self.refusalsByEachOfTwo
        // A limit that was learnt before counts again after the first refusal.
        guard oneMonitorDecides || twoMonitorsDecide || learned == links else { return }
        learnLimit(links, at: now)
    }

    /// Records that the radio reported to be full, while `links` other links existed.
    ///
    /// This counts at once, unless the radio has held more links: the controller may release a dead
    /// link a moment later than bluetoothd.
    mutating func noteFull(links: Int, at now: BootInstant) {
        guard configured == nil, links > 0 else { return }
        fullReports += 1
        guard links >= mostLinks || fullReports >= Self.fullReportsToLowerLimit else { return }
        learnLimit(links, at: now)
    }

    private mutating func learnLimit(_ links: Int, at now: BootInstant) {
        learned = links
        learnedAt = now
        refusals = [:]
    }

    /// Records a new link; `links` includes it.
    mutating func noteSuccess(links: Int) {
        refusals = [:]
        fullReports = 0
        mostLinks = max(mostLinks, links)
        if let limit = learned, links > limit { learned = nil }
    }
}
