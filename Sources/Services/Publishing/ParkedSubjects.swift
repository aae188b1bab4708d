import Contract
import MQTTClient
import Timeline

/// What is published, as far as a broker may treat it differently.
enum PublishSubject: Hashable, Sendable {
    case stream(StreamID)
    case retained(RetainedTopic)
    case replies
    /// Live samples and figures of all ergs: nothing answers for them, so they are not told apart.
    case live
}

/// What is left out for a while, because the broker ends the connection over it instead of refusing it,
/// as some do where their permissions deny a message.
///
/// A pure machine. When a broker ends a connection, and gives a reason that a message may be, whatever the broker had not
/// answered is suspected, and the next connection is *careful*: one message at a time, nothing live,
/// until each suspect has been answered. A subject on which alone a second connection ends is parked;
/// the others go on. It gets another chance after a minute, then after two, up to an hour, carefully.
struct ParkedSubjects {
    /// The pauses before a parked subject is tried again: doubled from the first to the last.
    static let pauses = Duration.seconds(60)...Duration.seconds(3600)
    /// Live samples this old at the end of a connection had nothing to do with it.
    private static let suspicion = Duration.seconds(2)
    /// A connection that stood this long had no trouble with what it published at first.
    private static let steady = Duration.seconds(60)

    private struct Parking {
        var attempts = 0
        /// nil while it is tried again.
        var until: BootInstant?
    }

    private var parkings: [PublishSubject: Parking] = [:]
    private var suspects: Set<PublishSubject> = []
    /// Answered while nothing else was under way, since a connection last ended.
    private var innocents: Set<PublishSubject> = []

    /// Whether one message at a time is published, and nothing live.
    var isCareful: Bool { suspects.contains { $0 != .live && $0 != .replies } }

    /// What is left out now.
    var subjects: [PublishSubject] { parkings.filter { $0.value.until != nil }.map(\.key) }

    /// When the next of them is to be tried again; nil without any.
    var due: BootInstant? { parkings.values.compactMap(\.until).min() }

    func isParked(_ subject: PublishSubject) -> Bool { parkings[subject]?.until != nil }

    /// When a subject is to be tried again; nil for one that is not left out.
    func until(_ subject: PublishSubject) -> BootInstant? { parkings[subject]?.until }

    /// The broker answered for a message.
    mutating func answered(_ subject: PublishSubject) {
        if isCareful { innocents.insert(subject) }
        suspects.remove(subject)
        if parkings[subject]?.until == nil { parkings[subject] = nil }
    }

    /// The broker ended the connection, and said why.
    ///
    /// - Parameters:
    ///   - unanswered: what it had been given and not answered for.
    ///   - lastLive: when something live was last given to it.
    ///   - stood: how long.
    /// - Returns: the subject that is left out from now on; nil when it is not known, or none.
    mutating func connectionEnded(
        unanswered: Set<PublishSubject>, lastLive: BootInstant?, stood: Duration,
        at now: BootInstant
    ) -> PublishSubject? {
        if stood >= Self.steady { (innocents, suspects) = ([], []) }
        var found = unanswered
        if let lastLive, lastLive.duration(to: now) < Self.suspicion { found.insert(.live) }
        found.subtract(innocents)
        let earlier = suspects
        suspects = found
        guard found.count == 1, let only = found.first, earlier.contains(only) else { return nil }
        suspects = []
        park(only, at: now)
        return only
    }

    /// Everything that there was to publish is answered: what is still suspected was not among it.
    mutating func nothingWaits() { suspects.formIntersection([.live, .replies]) }

    private mutating func park(_ subject: PublishSubject, at now: BootInstant) {
        var parking = parkings[subject] ?? Parking()
        let (first, last) = (Self.pauses.lowerBound, Self.pauses.upperBound)
        parking.until = now.advanced(by: min(first * (1 << min(parking.attempts, 6)), last))
        parking.attempts += 1
        parkings[subject] = parking
    }

    /// The subject that is to be tried again now, if any; it is suspected until it is answered for.
    mutating func next(at now: BootInstant) -> PublishSubject? {
        guard !isCareful,
            let subject = parkings.first(where: { $0.value.until.map { $0 <= now } ?? false })?.key
        else { return nil }
        parkings[subject]?.until = nil
        suspects.insert(subject)
        return subject
    }
}
