import Contract
import DeliveryProof

/// The logbook's store of published records: each record once, with its state and derived data.
///
/// The record as published, without `historical`, is authoritative. In the same transaction, read tables
/// get its values (`ReadingTable`) with the names and units of the contract. Use a store on one queue; each
/// call blocks until the database has answered. A call that throws has changed nothing and may be repeated
/// with the same arguments.
package protocol LogbookStore: AnyObject {
    /// Location for messages: a path, or a database address without a password.
    var place: String { get }

    /// Checks whether the open file is still at its path. If it was removed, moved or replaced, opens or
    /// creates the file at the path. Every other call does the same first.
    func verifyPlace() throws(StoreFailure)

    /// How often the file was replaced, and the kind of the last replacement. After a replacement, data
    /// read before is stale.
    var replacement: (count: Int, last: ReplacedFile?) { get }

    /// Stores a batch atomically. When it returns, the batch survives a power cut.
    ///
    /// If the store already has a record with the same number, that one stays; a repeated record is
    /// compared with it byte for byte. A number whose record was removed on purpose counts as repeated.
    func commit(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport

    /// For a shared store: agrees with the other logbooks on the owner of each shard, and returns this
    /// logbook's share. nil for a store that is not shared. `commit` ignores records of other shards; their
    /// owners receive them from the broker too.
    func rebalanceShards() throws(StoreFailure) -> StoreShare?

    /// The logbooks that currently share the store, by process. Empty if the store is not shared, or none
    /// runs.
    func sharers() throws(StoreFailure) -> [StoreSharer]

    /// All known streams, ordered by gateway, epoch, erg and kind.
    func streams() throws(StoreFailure) -> [StreamState]

    /// Declarations of gateways about lost numbers, in order of arrival.
    func declarations() throws(StoreFailure) -> [StoredDeclaration]

    /// Sessions, newest first: by `firstAt`, then by name.
    func sessions(_ filter: SessionFilter) throws(StoreFailure) -> [StoredSession]

    /// Everything needed to compare a session with its manifest. nil without a manifest, and for a session
    /// with removed records, whose state stays as judged.
    func evidence(of session: SessionName) throws(StoreFailure) -> SessionEvidence?

    /// Records of one stream in stored form, ordered by number, at most `limit`.
    func records(
        of stream: StoredStream, in sequences: ClosedRange<UInt64>, limit: Int
    ) throws(StoreFailure) -> [(sequence: UInt64, stored: [UInt8])]

    /// The last session before a position on an erg of its gateway; nil if there is none.
    func session(
        before cursor: SessionCursor, at station: StationID
    ) throws(StoreFailure) -> EarlierSession?

    /// All sessions with an id, usually one.
    func sessions(named session: String) throws(StoreFailure) -> [SessionName]

    /// Records of a kind that name a session, ordered by time, at most `limit`, starting after a cursor.
    /// Foreign strokes, which are not in the manifest, are omitted.
    func records(
        of kind: StreamKind, in session: SessionName, after mark: RecordCursor?, limit: Int
    ) throws(StoreFailure) -> [PagedRecord]

    /// All records of a kind other than strokes that name one of the sessions, in stored form, ordered by time.
    /// Sessions without such records are missing.
    func records(
        of kind: StreamKind, in sessions: [SessionName]
    ) throws(StoreFailure) -> [SessionName: [[UInt8]]]

    /// An athlete with sessions; nil for another slug. Merged ones have none.
    func athlete(_ slug: String) throws(StoreFailure) -> StoredAthlete?

    /// Athletes with sessions, ordered by slug, at most `limit`, starting after a slug.
    func athletes(after slug: String?, limit: Int) throws(StoreFailure) -> [StoredAthlete]

    /// The last status messages of all gateways, ordered by gateway and kind.
    func statusMessages() throws(StoreFailure) -> [GatewayStatusMessage]

    /// Counts of refused records, ordered by gateway and reason.
    func refusals() throws(StoreFailure) -> [RefusalCount]

    /// Responses to an athlete's suggestions, newest first; if nil, of all athletes, ordered by athlete.
    func suggestions(of athlete: String?) throws(StoreFailure) -> [StoredSuggestionResponse]

    /// Stores a response and replaces an earlier response to the same suggestion. When it returns, the
    /// response survives a power cut. Not allowed in a read-only store.
    func save(_ suggestion: StoredSuggestionResponse) throws(StoreFailure)

    /// Heart rate limits of an athlete; if nil, of all athletes, ordered by athlete.
    func heartLimits(of athlete: String?) throws(StoreFailure) -> [StoredHeartLimits]

    /// Stores limits and replaces earlier ones.
    func save(_ heart: StoredHeartLimits) throws(StoreFailure)

    /// Removes the limits of an athlete, if there are any.
    func removeHeartLimits(of athlete: String) throws(StoreFailure)

    /// The state of the notice numbering; nil before the first notice.
    func noticeNumbers() throws(StoreFailure) -> NoticeNumbers?

    /// Notices after a number, in order, at most `limit`.
    func notices(after sequence: UInt64, limit: Int) throws(StoreFailure) -> [StoredNotice]

    /// Notices about an athlete's sessions that are not withdrawn, ordered by number.
    func notices(of kind: NoticeKind, about athlete: String) throws(StoreFailure) -> [StoredNotice]

    /// Athletes with a notice about a session that no longer belongs to them.
    func athletesOfStrayNotices() throws(StoreFailure) -> [String]

    /// Training plans, by slug.
    func plans() throws(StoreFailure) -> [StoredPlan]

    /// Stores a plan and replaces one with the same slug.
    func save(_ plan: StoredPlan) throws(StoreFailure)

    /// Removes a plan; false if there is none with this slug.
    func removePlan(_ slug: String) throws(StoreFailure) -> Bool

    /// Corrections of a session's athlete, the oldest first; if nil, of all sessions.
    func corrections(of session: SessionName?) throws(StoreFailure) -> [StoredCorrection]

    /// Stores who rowed a session. Returns the correction; nil if there is no such session.
    func correct(
        _ session: SessionName, to athlete: SessionAthlete, at unixMilliseconds: Int64, by name: String?
    ) throws(StoreFailure) -> StoredCorrection?

    /// Profiles of athletes, ordered by id.
    func profiles() throws(StoreFailure) -> [StoredProfile]

    /// Groups of athletes, ordered by id.
    func groups() throws(StoreFailure) -> [StoredGroup]

    /// Stores profiles and groups, all or none; replaces those with the same ids.
    func save(_ profiles: [StoredProfile], _ groups: [StoredGroup]) throws(StoreFailure)

    /// Removes an athlete's profile and memberships in groups; false if there is no profile.
    func removeProfile(of athlete: String) throws(StoreFailure) -> Bool

    /// Removes a group, not its athletes; false if there is none with this id.
    func removeGroup(_ id: String) throws(StoreFailure) -> Bool

    /// People who sign in, and their devices.
    var users: UserTable { get }

    /// Athlete ids that were merged into another one.
    var merges: MergeTable { get }

    /// Links to the results of group pieces.
    var pieceLinks: PieceLinkTable { get }

    /// Results that coaches added to group pieces.
    var pieceAdditions: PieceAdditionTable { get }

    /// Uploads of sessions to other services.
    var uploads: UploadTable { get }

    /// Athletes' accounts at other services.
    var uploadAccounts: UploadAccountTable { get }

    /// What was computed from the records of sessions.
    var sessionMetrics: SessionMetricsTable { get }

    /// What the statistics of the club need of past sessions.
    var clubQuarters: ClubQuarterTable { get }

    /// Finished races and regattas.
    var raceDocuments: RaceDocumentTable { get }

    /// Runs `body`, which calls this store, as one transaction: all its changes are durable afterwards, or none of
    /// them are made because it threw. Excludes other writers meanwhile.
    func atomically<Value>(_ body: () throws -> Value) throws -> Value

    /// Numbers that arrived with two different contents, newest first.
    func conflicts(limit: Int) throws(StoreFailure) -> [StoredConflict]

    /// The number of records, and the bytes on disk.
    func size() throws(StoreFailure) -> StoreSize

    /// The bytes of its file that a year needs at the pace of the last four weeks. nil for a server, without records in
    /// these weeks, and if the store is younger than a week.
    ///
    /// - Parameter now: Unix milliseconds.
    func bytesPerYear(at now: Int64) throws(StoreFailure) -> Int?

    /// Descriptions of inconsistencies, one sentence each; empty for a sound store. Reads the whole store.
    func faults() throws(StoreFailure) -> [String]

    /// Permanently removes the next few records of a retention pass; their numbers stay known.
    func remove(_ pass: inout RetentionPass) throws(StoreFailure)

    /// Compresses the next few records of a pass, if this kind of store compresses records itself.
    func compress(_ pass: inout CompressionPass) throws(StoreFailure)

    /// Closes the store; no call may follow.
    func close()
}

extension LogbookStore {
    /// All records of a kind that name a session, in stored form, ordered by time.
    package func records(
        of kind: StreamKind, in session: SessionName
    ) throws(StoreFailure) -> [[UInt8]] {
        try records(of: kind, in: session, after: nil, limit: Int(Int32.max)).map(\.stored)
    }
}

extension LogbookStore {
    /// Compresses all records that can be compressed.
    @discardableResult package func compressAll() throws(StoreFailure) -> CompressionPass {
        var pass = CompressionPass()
        while !pass.isDone { try compress(&pass) }
        return pass
    }

    /// Returns the session with this name; nil if there is none.
    package func session(_ name: SessionName) throws(StoreFailure) -> StoredSession? {
        var filter = SessionFilter(limit: 1)
        (filter.gateway, filter.session) = (name.gateway, name.session)
        return try sessions(filter).first
    }

    /// All sessions of a filter, regardless of its limit, in list order; read in pages.
    package func everySession(_ filter: SessionFilter) throws(StoreFailure) -> [StoredSession] {
        var (filter, sessions): (SessionFilter, [StoredSession]) = (filter, [])
        while true {
            let found = try self.sessions(filter)
            sessions += found
            guard found.count == filter.limit, let last = found.last else { return sessions }
            filter.after = SessionCursor(firstAt: last.firstAt, name: last.name)
        }
    }

    /// All gateways with stored data.
    package func gateways() throws(StoreFailure) -> [GatewayID] {
        Set(try streams().map(\.stream.gateway) + statusMessages().map(\.gateway)).sorted()
    }
}

/// An athlete with sessions.
package struct StoredAthlete: Equatable, Sendable {
    /// An opaque slug.
    package var slug: String
    package var sessions: Int
    /// When the first and the last of them began, in Unix milliseconds.
    package var firstAt: Int64
    package var lastAt: Int64
}

/// A number that arrived with two different contents.
package struct StoredConflict: Equatable, Sendable {
    /// Its stream.
    package var stream: StoredStream
    package var sequence: UInt64
    /// The stored content, which arrived first.
    package var first: [UInt8]
    /// The first different content.
    package var other: [UInt8]
    /// How often a different content arrived.
    package var times: Int
}

/// The size of a store.
package struct StoreSize: Equatable, Sendable {
    /// Number of records of all kinds.
    package var records: Int
    /// Bytes on disk, including the write-ahead log.
    package var bytes: Int
}
