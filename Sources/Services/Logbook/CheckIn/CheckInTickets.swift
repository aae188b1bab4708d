import Timeline

/// The phones that entered the right code: each has a ticket for one erg.
///
/// A ticket lets its phone choose one athlete, once, and then see this erg until shortly after the session. Tickets
/// are in memory only. Has no clock.
struct CheckInTickets: Sendable {
    /// The time in which a phone must choose an athlete.
    static let choiceTime = Duration.seconds(300)
    /// The time for which the result stays visible after the assignment, the same as on the wall.
    static let resultTime = Duration.seconds(600)
    /// The longest validity of a ticket.
    static let maximumTime = Duration.seconds(4 * 3600)
    /// The time after which the erg must have confirmed the assignment.
    static let confirmationTime = Duration.seconds(30)
    static let capacity = 512

    struct Ticket: Equatable, Sendable {
        let place: LiveBoard.Place
        fileprivate let issuedAt: BootInstant
        fileprivate var endsAt: BootInstant
        /// The chosen athlete; nil before the choice.
        fileprivate(set) var athlete: String?
        fileprivate var chosenAt: BootInstant?
        /// Whether the erg has reported the athlete.
        fileprivate var isConfirmed = false
    }

    /// By the digest of the token in the cookie.
    private var tickets: [String: Ticket] = [:]

    var isEmpty: Bool { tickets.isEmpty }

    mutating func issue(_ digest: String, for place: LiveBoard.Place, at now: BootInstant) {
        tickets = tickets.filter { $0.value.endsAt > now }
        if tickets.count >= Self.capacity, let first = tickets.min(by: { $0.value.endsAt < $1.value.endsAt })
        {
            tickets[first.key] = nil
        }
        tickets[digest] = Ticket(place: place, issuedAt: now, endsAt: now.advanced(by: Self.choiceTime))
    }

    /// Returns the ticket for an erg; nil if there is none, or if its time is over.
    func ticket(_ digest: String, for place: LiveBoard.Place, at now: BootInstant) -> Ticket? {
        tickets[digest].flatMap { $0.place == place && $0.endsAt > now ? $0 : nil }
    }

    /// Stores the choice of an athlete, which uses the ticket.
    mutating func choose(_ athlete: String, with digest: String, at now: BootInstant) {
        tickets[digest]?.athlete = athlete
        tickets[digest]?.chosenAt = now
        tickets[digest]?.endsAt = now.advanced(by: Self.resultTime)
    }

    mutating func remove(_ digest: String) { tickets[digest] = nil }

    /// Extends the tickets of athletes who are still assigned, and removes those of athletes who were replaced.
    ///
    /// - Parameter assignments: The athletes who are assigned now, by erg.
    mutating func update(_ assignments: [LiveBoard.Place: String], at now: BootInstant) {
        for (digest, ticket) in tickets {
            guard ticket.endsAt > now else {
                tickets[digest] = nil
                continue
            }
            guard let athlete = ticket.athlete, let chosenAt = ticket.chosenAt,
                let assigned = assignments[ticket.place]
            else { continue }
            if assigned == athlete {
                tickets[digest]?.isConfirmed = true
                tickets[digest]?.endsAt = min(
                    now.advanced(by: Self.resultTime), ticket.issuedAt.advanced(by: Self.maximumTime))
            } else if ticket.isConfirmed || chosenAt.duration(to: now) > Self.confirmationTime {
                tickets[digest] = nil
            }
        }
    }
}
