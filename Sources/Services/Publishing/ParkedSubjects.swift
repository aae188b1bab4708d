import Contract
import MQTTClient
import Timeline

/// A group of messages that a broker may treat differently.
enum PublishSubject: Hashable, Sendable {
    case stream(StreamID)
    case retained(RetainedTopic)
    case replies
    /// Live values of all ergs: they are never acknowledged, so they are not distinguished.
    case live
}

/// Subjects that are not published for a while, because the broker ends the connection over them
/// instead of rejecting them, as some do where their permissions deny a message.
///
/// A pure state machine. If a broker ends a connection with a reason that a message may have
/// caused, all unacknowledged subjects are suspects, and the next connection is *careful*: one
/// message at a time and no live values, until each suspect has been acknowledged. A subject that
/// ends a second connection alone is parked; the others continue. It is tried again after a minute,
/// then after two, up to an hour, carefully.
struct ParkedSubjects {
    /// The delays before a parked subject is tried again: the first and the longest.
    static let pauses = Duration.seconds(60)...Duration.seconds(3600)
    /// Live values older than this at the end of a connection did not cause it.
    private static let suspicion = Duration.seconds(2)
    /// A connection that lasted this long had no problem with its first messages.
    private static let steady = Duration.seconds(60)

    private struct Parking {
        var backoff = ExponentialBackoff(ParkedSubjects.pauses)
        /// nil while it is being tried again.
        var until: BootInstant?
    }

    private var parkings: [PublishSubject: Parking] = [:]
    private var suspects: Set<PublishSubject> = []
    /// Subjects acknowledged while nothing else was pending, since a connection last ended.
    private var acknowledgedAlone: Set<PublishSubject> = []

    /// Whether only one message at a time is published, and no live values.
    var isCareful: Bool { suspects.contains { $0 != .live && $0 != .replies } }

    /// The parked subjects.
    var subjects: [PublishSubject] { parkings.filter { $0.value.until != nil }.map(\.key) }

    /// When the next of them is tried again; nil if there are none.
    var due: BootInstant? { parkings.values.compactMap(\.until).min() }

    func isParked(_ subject: PublishSubject) -> Bool { parkings[subject]?.until != nil }

    /// When a subject is tried again; nil if it is not parked.
    func until(_ subject: PublishSubject) -> BootInstant? { parkings[subject]?.until }

    /// Notes that the broker acknowledged a message.
    mutating func answered(_ subject: PublishSubject) {
        if isCareful { acknowledgedAlone.insert(subject) }
        suspects.remove(subject)
        if parkings[subject]?.until == nil { parkings[subject] = nil }
    }

    /// Notes that the broker ended the connection with a reason.
    ///
    /// - Parameters:
    ///   - unacknowledged: the unacknowledged subjects.
    ///   - lastLive: when a live value was last sent.
    ///   - lasted: how long the connection lasted.
    /// - Returns: the subject that is parked from now on; nil if unknown, or none.
    mutating func connectionEnded(
        unacknowledged: Set<PublishSubject>, lastLive: BootInstant?, lasted: Duration,
        at now: BootInstant
    ) -> PublishSubject? {
        if lasted >= Self.steady { (acknowledgedAlone, suspects) = ([], []) }
        var found = unacknowledged
        if let lastLive, lastLive.duration(to: now) < Self.suspicion { found.insert(.live) }
        found.subtract(acknowledgedAlone)
        let earlier = suspects
        suspects = found
        guard found.count == 1, let only = found.first, earlier.contains(only) else { return nil }
        suspects = []
        park(only, at: now)
        return only
    }

    /// Notes that every message was acknowledged: the remaining suspects were not among them.
    mutating func allAcknowledged() { suspects.formIntersection([.live, .replies]) }

    private mutating func park(_ subject: PublishSubject, at now: BootInstant) {
        var parking = parkings[subject] ?? Parking()
        parking.until = now.advanced(by: parking.backoff.next())
        parkings[subject] = parking
    }

    /// Returns the subject to try again now, if any; it is a suspect until it is acknowledged.
    mutating func next(at now: BootInstant) -> PublishSubject? {
        guard !isCareful,
            let subject = parkings.first(where: { $0.value.until.map { $0 <= now } ?? false })?.key
        else { return nil }
        parkings[subject]?.until = nil
        suspects.insert(subject)
        return subject
    }
}
