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

    /// Looks whether the file that is open is still at its path. One that was removed, moved away or
    /// replaced is left, and what the path leads to is opened, or made; every other call does the same first.
    func verifyPlace() throws(StoreFailure)

    /// How often another file was opened in the place of the one before, and what the last one is. What was
    /// read of the store before is of the past then.
    var replacement: (count: Int, last: ReplacedFile?) { get }

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
    /// first ones, or those behind a mark. Foreign strokes, which the manifest does not name, are left out.
    func records(
        of kind: StreamKind, in session: SessionName, after mark: RecordMark?, limit: Int
    ) throws(StoreFailure) -> [MarkedRecord]

    /// Who rowed, by slug, at most `limit` of them: the first ones, or those behind a slug.
    func athletes(after slug: String?, limit: Int) throws(StoreFailure) -> [KeptAthlete]

    /// The last that gateways said of themselves, in order of gateway and kind.
    func words() throws(StoreFailure) -> [GatewayWord]

    /// How often records of gateways were refused, in order of gateway and reason.
    func refusals() throws(StoreFailure) -> [RefusalCount]

    /// What was said of suggestions to an athlete, the last first; to everybody, by athlete, of nil.
    func suggestions(of athlete: String?) throws(StoreFailure) -> [KeptSuggestion]

    /// Keeps what was said of a suggestion, in the place of what was said of it before. When it returns,
    /// it survives a power cut. Not of a store for looking.
    func keep(_ suggestion: KeptSuggestion) throws(StoreFailure)

    /// The resting and maximal heart rate that was given of an athlete; of everybody, by athlete, of nil.
    func hearts(of athlete: String?) throws(StoreFailure) -> [KeptHeart]

    /// Keeps them in the place of what was given before.
    func keep(_ heart: KeptHeart) throws(StoreFailure)

    /// Takes out what was given of an athlete, if anything was.
    func removeHeart(of athlete: String) throws(StoreFailure)

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

extension LogbookStore {
    /// All that a filter wants, however many, in the order of lists: read in pages of its limit.
    package func everySession(_ filter: SessionFilter) throws(StoreFailure) -> [KeptSession] {
        var (filter, sessions): (SessionFilter, [KeptSession]) = (filter, [])
        while true {
            let found = try self.sessions(filter)
            sessions += found
            guard found.count == filter.limit, let last = found.last else { return sessions }
            filter.after = SessionMark(firstAt: last.firstAt, name: last.name)
        }
    }

    /// Every gateway that something is kept of.
    package func gateways() throws(StoreFailure) -> [GatewayID] {
        Set(try streams().map(\.stream.gateway) + words().map(\.gateway)).sorted()
    }
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
