import Contract

/// Something that the logbook says by itself, to be numbered, kept and published.
package struct Notice: Equatable, Sendable {
    package var kind: NoticeKind
    /// What it is about: of a kind and a subject it is said once, until it is taken back.
    package var subject: String
    /// Whom it tells of.
    package var athlete: String?
    /// What it rests on.
    package var session: SessionName?
    /// A JSON object of its own members.
    package var members: [UInt8]

    package init(
        _ kind: NoticeKind, subject: String, athlete: String? = nil, session: SessionName? = nil,
        members: [UInt8]
    ) {
        (self.kind, self.subject, self.athlete) = (kind, subject, athlete)
        (self.session, self.members) = (session, members)
    }
}

/// A notice with its number.
package struct KeptNotice: Equatable, Sendable {
    package var sequence: UInt64
    package var kind: NoticeKind
    /// nil for one that takes another back, or was taken back.
    package var subject: String?
    /// Unix milliseconds: when it was found out.
    package var madeAt: Int64
    /// The number of the one that it takes back.
    package var withdraws: UInt64?
    /// A JSON object of its own members; empty where it was taken back.
    package var members: [UInt8]
}

/// Which numbers notices have. They are of one store: another one numbers others.
package struct NoticeNumbers: Equatable, Sendable {
    /// ULID.
    package var epoch: String
    /// Unix milliseconds: since when notices are made.
    package var since: Int64
    /// The last one that was given out; 0 before the first.
    package var last: UInt64
    /// Up to here the broker has them all.
    package var published: UInt64
}

/// What a batch changes of notices.
package struct NoticeChanges: Equatable, Sendable {
    /// Begins the numbers where there are none.
    package var epoch: String?
    /// What is said already is not said again.
    package var added: [Notice] = []
    /// Numbers of which nothing holds any more.
    package var withdrawn: [UInt64] = []
    /// Up to here the broker has them all.
    package var published: UInt64?

    package init() {}

    package var isEmpty: Bool { self == NoticeChanges() }

    package mutating func merge(_ later: NoticeChanges) {
        epoch = epoch ?? later.epoch
        added += later.added
        withdrawn += later.withdrawn
        published = later.published ?? published
    }
}
