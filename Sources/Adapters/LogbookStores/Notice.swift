import Contract

/// A notice of the logbook, to be numbered, stored and published.
package struct Notice: Equatable, Sendable {
    package var kind: NoticeKind
    /// Identifies its content: a notice of a kind and subject exists once until it is withdrawn.
    package var subject: String
    /// The athlete it is about.
    package var athlete: String?
    /// The session it is based on.
    package var session: SessionName?
    /// A JSON object with its specific members.
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
package struct StoredNotice: Equatable, Sendable {
    package var sequence: UInt64
    package var kind: NoticeKind
    /// nil for a withdrawal, or a withdrawn notice.
    package var subject: String?
    /// Unix milliseconds: when it was created.
    package var madeAt: Int64
    /// The number of the notice that it withdraws.
    package var withdraws: UInt64?
    /// A JSON object with its specific members; empty if withdrawn.
    package var members: [UInt8]
}

/// The numbering of notices. Each store has its own.
package struct NoticeNumbers: Equatable, Sendable {
    /// ULID.
    package var epoch: String
    /// Unix milliseconds: when notices were first created.
    package var since: Int64
    /// The last assigned number; 0 before the first.
    package var last: UInt64
    /// All notices up to this number are published.
    package var published: UInt64
}

/// Changes of notices within a batch.
package struct NoticeChanges: Equatable, Sendable {
    /// Starts the numbering if there is none.
    package var epoch: String?
    /// Existing notices are not added again.
    package var added: [Notice] = []
    /// Numbers of notices that are no longer true.
    package var withdrawn: [UInt64] = []
    /// All notices up to this number are published.
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
