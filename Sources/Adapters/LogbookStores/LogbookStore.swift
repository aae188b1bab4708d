import Contract
import DeliveryProof

/// Where the logbook keeps what gateways published: every record once, and what became of the rest.
///
/// The truth is the record as it was published, without `historical`. Beside it, in the same
/// transaction, tables for reading get what it says (`ReadingTable`), under the names and in the units
/// of the contract. A store is used on one queue; each call blocks until the database has answered.
/// A call that throws has changed nothing, and may be made again with the same arguments.
package protocol LogbookStore: AnyObject {
    /// Where it is, as messages name it: a path, or a database's address without a password.
    var place: String { get }

    /// Takes in a batch, all of it or nothing. When it returns, the batch survives a power cut.
    ///
    /// Of a number that the store has already the first record stays: one that comes again is
    /// compared with it byte for byte. A number whose record was removed on purpose counts as one
    /// that came again.
    func commit(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport

    /// For a store that several logbooks share: agrees with them who keeps the records of which gateways,
    /// and returns what is this one's from now on. nil for a store of one logbook alone. What `commit`
    /// gets of other gateways is passed over: they have it from the broker too.
    func deal() throws(StoreFailure) -> StoreShare?

    /// Who shares the store at this moment, by process. Nobody where it is one logbook's alone, or none
    /// runs.
    func sharers() throws(StoreFailure) -> [StoreSharer]

    /// Every stream of which anything is known, in order of gateway, epoch, erg and kind.
    func streams() throws(StoreFailure) -> [StreamState]

    /// What gateways declared about numbers that nobody can get, in the order of their arrival.
    func declarations() throws(StoreFailure) -> [StoredDeclaration]

    /// Sessions, the newest first: by `firstAt`, and of those that began together by name.
    func sessions(_ filter: SessionFilter) throws(StoreFailure) -> [KeptSession]

    /// Everything that a session's manifest is held against; nil where no manifest has come, and for a
    /// session of which records were removed: it stays as it was judged.
    func evidence(of session: SessionName) throws(StoreFailure) -> SessionEvidence?

    /// Records of one stream in their stored form, by number, at most `limit` of them.
    func records(
        of stream: StoredStream, in sequences: ClosedRange<UInt64>, limit: Int
    ) throws(StoreFailure) -> [(sequence: UInt64, stored: [UInt8])]

    /// Whose session an id names: every gateway that has one of it, as a rule one.
    func sessions(named session: String) throws(StoreFailure) -> [SessionName]

    /// Records of a kind that name a session, in the order of their times, at most `limit` of them: the
    /// first ones, or those behind a mark.
    func records(
        of kind: StreamKind, in session: SessionName, after mark: RecordMark?, limit: Int
    ) throws(StoreFailure) -> [MarkedRecord]

    /// Who rowed, by slug, at most `limit` of them: the first ones, or those behind a slug.
    func athletes(after slug: String?, limit: Int) throws(StoreFailure) -> [KeptAthlete]

    /// The last that gateways said of themselves, in order of gateway and kind.
    func words() throws(StoreFailure) -> [GatewayWord]

    /// What was said of suggestions to an athlete, the last first; to everybody, by athlete, of nil.
    func suggestions(of athlete: String?) throws(StoreFailure) -> [KeptSuggestion]

    /// Keeps what was said of a suggestion, in the place of what was said of it before. When it returns,
    /// it survives a power cut. Not of a store for looking.
    func keep(_ suggestion: KeptSuggestion) throws(StoreFailure)

    /// How far the numbers of notices are; nil where none was ever given out.
    func noticeNumbers() throws(StoreFailure) -> NoticeNumbers?

    /// Notices behind a number, in their order, at most `limit` of them.
    func notices(after sequence: UInt64, limit: Int) throws(StoreFailure) -> [KeptNotice]

    /// What is said of an athlete's sessions and not taken back, in the order of their numbers.
    func notices(of kind: NoticeKind, about athlete: String) throws(StoreFailure) -> [KeptNotice]

    /// Athletes of whom something is said that rests on a session which is theirs no more.
    func athletesOfStrayNotices() throws(StoreFailure) -> [String]

    /// Training plans, by slug.
    func plans() throws(StoreFailure) -> [KeptPlan]

    /// Puts a plan there, in the place of the one of its slug.
    func put(_ plan: KeptPlan) throws(StoreFailure)

    /// Takes a plan out; false where there is none of that slug.
    func removePlan(_ slug: String) throws(StoreFailure) -> Bool

    /// Numbers that came with another content than the first, the newest first.
    func conflicts(limit: Int) throws(StoreFailure) -> [StoredConflict]

    /// How many records there are, and how many bytes the store takes on its disk.
    func size() throws(StoreFailure) -> StoreSize

    /// What is wrong inside, in words, each a sentence: nothing for a sound store. Reads all of it.
    func faults() throws(StoreFailure) -> [String]

    /// Removes a few of the records that a pass is for, for good; their numbers stay known.
    func remove(_ pass: inout RetentionPass) throws(StoreFailure)

    /// Lets go of it; no call may follow.
    func close()
}

extension LogbookStore {
    /// All records of a kind that name a session, in their stored form, in the order of their times.
    package func records(
        of kind: StreamKind, in session: SessionName
    ) throws(StoreFailure) -> [[UInt8]] {
        try records(of: kind, in: session, after: nil, limit: Int(Int32.max)).map(\.stored)
    }
}

// MARK: What goes in

/// A stream of one gateway in one epoch: within it a number names one record for ever.
package struct StoredStream: Hashable, Sendable {
    /// Who numbered it.
    package var gateway: GatewayID
    /// ULID of the ring that the numbers belong to.
    package var epoch: String
    /// Erg and kind.
    package var stream: StreamID

    package init(gateway: GatewayID, epoch: String, stream: StreamID) {
        self.gateway = gateway
        self.epoch = epoch
        self.stream = stream
    }
}

/// A session, as the gateway that recorded it names it.
package struct SessionName: Hashable, Sendable {
    /// Who recorded it: nobody's ULIDs are to touch another gateway's sessions.
    package var gateway: GatewayID
    /// Its ULID.
    package var session: String

    package init(gateway: GatewayID, session: String) {
        self.gateway = gateway
        self.session = session
    }
}

/// What is made durable together.
package struct StoreBatch: Sendable {
    /// In the order of their arrival.
    package var records: [KeptRecord] = []
    /// What was learnt of streams besides.
    package var notes: [StoredStream: StreamNote] = [:]
    /// What became of sessions.
    package var states: [SessionName: SessionState] = [:]
    /// What gateways said of themselves: of each kind the last takes the place of the one before.
    package var words: [GatewayWord] = []
    /// What the logbook has to say by itself.
    package var notices = NoticeChanges()
    /// Unix milliseconds: when this is.
    package var now: Int64

    package init(records: [KeptRecord] = [], now: Int64) {
        self.records = records
        self.now = now
    }

    package var isEmpty: Bool {
        records.isEmpty && notes.isEmpty && states.isEmpty && words.isEmpty && notices.isEmpty
    }
}

/// What is known of a stream besides its records.
package struct StreamNote: Equatable, Sendable {
    /// The first number that is owed: what the gateway had when it was first heard.
    package var begin: UInt64?
    /// The highest number that a message named.
    package var announced: UInt64 = 0
    /// Numbers that the gateway, asked for them, no longer had.
    package var gone: [ClosedRange<UInt64>] = []

    package init() {}
}

/// How a session stands against its manifest.
package enum SessionState: String, CaseIterable, Sendable {
    /// No manifest has come: it goes on, or its end was not heard yet.
    case open
    /// All its records are here, and they are what the gateway recorded.
    case verified
    /// Records are missing, and may come.
    case missing
    /// Records are missing that nobody has any more.
    case gone
    /// All records that could come are here, and they are not what the manifest says.
    case differs
}

// MARK: What comes out

/// What a commit came to.
package struct CommitReport: Equatable, Sendable {
    /// Records that the store had not had.
    package var added = 0
    /// Records that it had already, the same.
    package var repeats = 0
    /// Records that it had with another content.
    package var conflicts = 0
    /// Of those that were added, such as belong to somebody who was forgotten: their numbers alone.
    package var forgotten = 0
    /// Sessions with a manifest whose records changed.
    package var sessions: Set<SessionName> = []

    package init() {}
}

/// One stream, as far as the store knows it.
package struct StreamState: Equatable, Sendable {
    /// Which one.
    package var stream: StoredStream
    /// Numbers that have been stored, removed ones included, and those that are owed.
    package var extent: StreamExtent
    /// Numbers that the gateway, asked for them, no longer had.
    package var gone: SequenceSet
    /// Numbers whose records were here, or had come, and were removed on purpose.
    package var removed: SequenceSet
    /// Records that came again, the same.
    package var repeats: UInt64
    /// Records that came again with another content.
    package var conflicts: UInt64
}

/// An event of a gateway that says what cannot come.
package struct StoredDeclaration: Equatable, Sendable {
    /// Who says so, and of which ring.
    package var gateway: GatewayID
    package var epoch: String
    package var declaration: Declaration
}

/// Which sessions are wanted; nil for any.
package struct SessionFilter: Equatable, Sendable {
    /// Of one gateway.
    package var gateway: GatewayID?
    /// Of this id: of one gateway it is one.
    package var session: String?
    /// At one place.
    package var station: StationID?
    /// Of one athlete: their slug.
    package var athlete: String?
    /// In these states.
    package var states: Set<SessionState>?
    /// Whose `firstAt` is one of these Unix milliseconds.
    package var times: Range<Int64>?
    /// Those that come behind this one: how a list goes on.
    package var after: SessionMark?
    /// At most so many.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }
}

/// Where a list of sessions goes on.
package struct SessionMark: Equatable, Sendable {
    /// `firstAt` of the session before, and its name.
    package var firstAt: Int64
    package var name: SessionName

    package init(firstAt: Int64, name: SessionName) { (self.firstAt, self.name) = (firstAt, name) }
}

/// A session as its records tell it; what no record told is nil.
package struct KeptSession: Equatable, Sendable {
    /// Whose, and its ULID.
    package var name: SessionName
    /// Where it was rowed.
    package var station: StationID
    /// Who rowed: an opaque slug.
    package var athlete: String?
    /// When the first of its records was made, in Unix milliseconds; lists are in this order.
    package var firstAt: Int64
    /// Unix milliseconds, as its records say.
    package var startedAt: Int64?
    /// Unix milliseconds.
    package var endedAt: Int64?
    /// The monitor's workout type, in the contract's word.
    package var workout: String?
    /// Metres of work, by the summary.
    package var distance: Double?
    /// Seconds of work, by the summary.
    package var resultTime: Double?
    /// Strokes that are stored.
    package var strokes: Int
    /// How it stands against its manifest.
    package var state: SessionState
    /// Whether records of it were removed on purpose since it was judged.
    package var isThinned = false
}

/// Where a list of a session's records goes on: the time of the record before, its number, and what the
/// store calls it.
package struct RecordMark: Equatable, Sendable {
    package var unixMilliseconds: Int64
    package var sequence: Int64
    package var row: Int64

    package init(unixMilliseconds: Int64, sequence: Int64, row: Int64) {
        (self.unixMilliseconds, self.sequence, self.row) = (unixMilliseconds, sequence, row)
    }
}

/// A record of a list that can go on behind it.
package struct MarkedRecord: Equatable, Sendable {
    package var mark: RecordMark
    /// As published, without `historical`.
    package var stored: [UInt8]
}

/// Somebody who rowed, as sessions name them.
package struct KeptAthlete: Equatable, Sendable {
    /// An opaque slug.
    package var slug: String
    package var sessions: Int
    /// When the first and the last of them began, in Unix milliseconds.
    package var firstAt: Int64
    package var lastAt: Int64
}

/// What a session's manifest claims, and what there is.
package struct SessionEvidence: Sendable {
    /// Of the manifest.
    package var claim: ManifestClaim
    /// The stroke records in their stored form, in the order of their times.
    package var strokes: [[UInt8]]
    /// Records of the other kinds that name the session.
    package var counts: [StreamKind: UInt64]
}

/// A number that came with two contents.
package struct StoredConflict: Equatable, Sendable {
    /// Where.
    package var stream: StoredStream
    package var sequence: UInt64
    /// What was kept: the first.
    package var kept: [UInt8]
    /// The first that differed.
    package var other: [UInt8]
    /// How often anything different came.
    package var times: Int
}

/// How much there is.
package struct StoreSize: Equatable, Sendable {
    /// Records of every kind.
    package var records: Int
    /// On the disk, what is not checkpointed included.
    package var bytes: Int
}

extension LogbookStore {
    /// Every gateway that something is kept of.
    package func gateways() throws(StoreFailure) -> [GatewayID] {
        Set(try streams().map(\.stream.gateway) + words().map(\.gateway)).sorted()
    }
}
