import Timeline

/// How many links one adapter can hold: told, or learnt from its refusals.
///
/// Controllers do not say beforehand. A Broadcom radio of a Pi takes about 7 LE links, a CSR dongle
/// about 5, and many refuse one too many with the same error as a bad moment. So a limit is believed
/// only after refusals that no bad moment explains, and tried again after a while.
struct AdapterSlots: Equatable, Sendable {
    /// So many quick refusals of one monitor in a row mean that the radio is full.
    static let refusalsOfOne = 9
    /// So many of each of two monitors mean the same.
    static let refusalsOfTwo = 3
    /// A radio that has held more links before must say so many times in a row that it is full.
    static let answersOfFullness = 3
    /// A learnt limit is tested with one link more after this.
    static let beliefLifetime = Duration.seconds(600)
    /// Below this many links a refusal has another cause.
    static let smallestLimit = 2

    private let configured: Int?
    private var learned: Int?
    private var learnedAt = BootInstant(nanoseconds: 0)
    private var refusals: [String: Int] = [:]
    private var linksAtRefusal = 0
    private var timesFull = 0
    /// The most links that ever stood: no limit is lower.
    private var mostLinks = 0

    init(configured: Int?) { self.configured = configured }

    /// The most links this adapter takes; nil while nobody knows.
    func limit(at now: BootInstant) -> Int? {
        if let configured { return configured }
        guard let learned else { return nil }
        return learnedAt.duration(to: now) > Self.beliefLifetime ? learned + 1 : learned
    }

    /// Free slots with `links` taken; an adapter of unknown size counts as a large one.
    func free(links: Int, at now: BootInstant) -> Int {
        max(0, (limit(at: now) ?? 32) - links)
    }

    /// A monitor that is there was refused at once, while `links` other links stood.
    mutating func noteRefusal(of serial: String, links: Int, at now: BootInstant) {
        guard configured == nil, links >= max(Self.smallestLimit, mostLinks) else { return }
        if links != linksAtRefusal {
            linksAtRefusal = links
            refusals = [:]
        }
        refusals[serial, default: 0] += 1
        let counts = refusals.values.sorted(by: >)
        let oneGaveUp = counts[0] >= Self.refusalsOfOne
        let twoAgree = counts.count > 1 && counts[1] >= Self.refusalsOfTwo
        // A limit that was believed before is believed again at the first refusal.
        guard oneGaveUp || twoAgree || learned == links else { return }
        believe(links, at: now)
    }

    /// The radio said itself that it is full, while `links` other links stood.
    ///
    /// That is believed at once, unless it has held more: a link that died just now may be with the
    /// controller a moment longer than with bluetoothd.
    mutating func noteFull(links: Int, at now: BootInstant) {
        guard configured == nil, links > 0 else { return }
        timesFull += 1
        guard links >= mostLinks || timesFull >= Self.answersOfFullness else { return }
        believe(links, at: now)
    }

    private mutating func believe(_ links: Int, at now: BootInstant) {
        learned = links
        learnedAt = now
        refusals = [:]
    }

    /// A link came up; `links` stand now, itself included.
    mutating func noteSuccess(links: Int) {
        refusals = [:]
        timesFull = 0
        mostLinks = max(mostLinks, links)
        if let limit = learned, links > limit { learned = nil }
    }
}
