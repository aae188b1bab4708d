import Contract
import DeliveryProof

/// The logbook in an SQL database: the common part of SQLite and PostgreSQL.
///
/// Each topic has a component with the SQL of its tables; they share one connection. The store wires them,
/// and commits batches across them. Callers group records into batches.
package class SQLStore: LogbookStore {
    /// The purpose for which a store is opened.
    package enum Access: Sendable {
        /// For the process that stores records; creates the store if needed and migrates it to the newest
        /// version.
        case recording
        /// For reading, in parallel with the recording process.
        case readOnly
        /// For removing records, and for responses and plans, in parallel with the recording process.
        case editing
    }

    /// A commit with unknown outcome: the database was lost before it confirmed.
    private struct UncertainCommit {
        /// Identifies the batch.
        let batch: [String]
        let report: CommitReport
    }

    package let place: String
    let access: Access
    let connection: StoreConnection
    let streamTable: StreamTable
    let recordTable: RecordTable
    let noticeTable: NoticeTable
    private let statusMessageTable: StatusMessageTable
    private let heartLimitTable: HeartLimitTable
    private let sessionTable: SessionTable
    private let planTable: PlanTable
    private let peopleTable: PeopleTable
    package let users: UserTable
    package let merges: MergeTable
    package let pieceLinks: PieceLinkTable
    package let pieceAdditions: PieceAdditionTable
    package let uploads: UploadTable
    package let uploadAccounts: UploadAccountTable
    package let raceDocuments: RaceDocumentTable
    package let sessionMetrics: SessionMetricsTable
    package let clubQuarters: ClubQuarterTable
    private let correctionTable: CorrectionTable
    private let suggestionTable: SuggestionTable
    private let refusalTable: RefusalTable
    private let retention: RecordRetention
    private var uncertainCommit: UncertainCommit?

    /// The database must be open and of the newest version.
    init(_ database: any SQLDatabase, for access: Access) throws(StoreFailure) {
        place = database.place
        self.access = access
        connection = StoreConnection(database)
        streamTable = try StreamTable(connection)
        sessionTable = SessionTable(connection)
        recordTable = RecordTable(connection, streamTable, sessionTable)
        noticeTable = NoticeTable(connection)
        statusMessageTable = StatusMessageTable(connection)
        planTable = PlanTable(connection)
        peopleTable = PeopleTable(connection)
        users = UserTable(connection)
        merges = MergeTable(connection)
        pieceLinks = PieceLinkTable(connection)
        pieceAdditions = PieceAdditionTable(connection)
        uploads = UploadTable(connection)
        uploadAccounts = UploadAccountTable(connection)
        raceDocuments = RaceDocumentTable(connection)
        sessionMetrics = SessionMetricsTable(connection)
        clubQuarters = ClubQuarterTable(connection)
        correctionTable = CorrectionTable(connection)
        heartLimitTable = HeartLimitTable(connection)
        suggestionTable = SuggestionTable(connection)
        refusalTable = RefusalTable(connection)
        retention = RecordRetention(connection, recordTable, sessionMetrics)
        connection.setReconnectAction { [unowned self] () throws(StoreFailure) in
            try self.didReconnect()
        }
    }

    var database: any SQLDatabase { connection.database }

    package func close() { database.close() }

    /// A server does not move.
    package func verifyPlace() throws(StoreFailure) {}

    package var replacement: (count: Int, last: ReplacedFile?) { (0, nil) }

    /// The connection was restored, or the database was replaced.
    func didReconnect() throws(StoreFailure) { try streamTable.reload() }

    package func rebalanceShards() throws(StoreFailure) -> StoreShare? { nil }

    package func sharers() throws(StoreFailure) -> [StoreSharer] { [] }

    /// The part of a batch that belongs to this store's shards.
    func ownedPart(of batch: StoreBatch) -> StoreBatch { batch }

    // MARK: Batches

    package func commit(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport {
        if batch.isEmpty { return CommitReport() }
        _ = try connection.live()
        let batch = ownedPart(of: batch)
        if batch.isEmpty { return CommitReport() }
        if let report = try settled(batch) { return report }
        var work = RecordTable.Work(streams: streamTable.begin())
        do throws(StoreFailure) {
            try database.transaction { () throws(StoreFailure) in try store(batch, &work) }
        } catch {
            if error.kind == .inDoubt {
                uncertainCommit = UncertainCommit(batch: batch.identity, report: work.report)
            }
            throw error
        }
        streamTable.apply(work.streams)
        return work.report
    }

    /// Returns the report of the batch if it was in doubt and turns out to be durable.
    private func settled(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport? {
        guard let uncertainCommit else { return nil }
        let isDurable = try database.resolveUncertainCommit()
        self.uncertainCommit = nil
        return isDurable && uncertainCommit.batch == batch.identity ? uncertainCommit.report : nil
    }

    private func store(
        _ batch: StoreBatch, _ work: inout RecordTable.Work
    ) throws(StoreFailure) {
        try recordTable.add(batch.records, at: batch.now, &work)
        for (stream, note) in batch.notes { try streamTable.apply(note, of: stream, &work.streams) }
        try streamTable.save(work.streams)
        try sessionMetrics.remove(of: work.sessions.values)
        for (session, state) in batch.states {
            try sessionTable.set(state, of: session)
            try sessionMetrics.remove(of: session)
        }
        try statusMessageTable.save(batch.statusMessages)
        try noticeTable.apply(batch.notices, at: batch.now)
        try refusalTable.add(batch.refusals)
        work.report.sessions = try sessionTable.withManifest(work.sessions)
    }

    // MARK: Records

    package func streams() throws(StoreFailure) -> [StreamState] {
        // Another process may write to the store, so the numbers read on opening are stale.
        try streamTable.states(isCurrent: access == .recording)
    }

    package func declarations() throws(StoreFailure) -> [StoredDeclaration] {
        try recordTable.declarations()
    }

    package func records(
        of stream: StoredStream, in sequences: ClosedRange<UInt64>, limit: Int
    ) throws(StoreFailure) -> [(sequence: UInt64, stored: [UInt8])] {
        try recordTable.records(of: stream, in: sequences, limit: limit)
    }

    package func records(
        of kind: StreamKind, in session: SessionName, after mark: RecordCursor?, limit: Int
    ) throws(StoreFailure) -> [PagedRecord] {
        try recordTable.records(of: kind, in: session, after: mark, limit: limit)
    }

    package func records(
        of kind: StreamKind, in sessions: [SessionName]
    ) throws(StoreFailure) -> [SessionName: [[UInt8]]] {
        try recordTable.records(of: kind, in: sessions)
    }

    package func conflicts(limit: Int) throws(StoreFailure) -> [StoredConflict] {
        try recordTable.conflicts(limit: limit)
    }

    package func size() throws(StoreFailure) -> StoreSize { try recordTable.size() }

    package func bytesPerYear(at now: Int64) throws(StoreFailure) -> Int? { nil }

    /// Bytes on disk.
    package func bytes() throws(StoreFailure) -> Int { Int(try connection.live().bytes()) }

    package func faults() throws(StoreFailure) -> [String] {
        try connection.live().faults() + streamTable.faults() + merges.faults()
    }

    package func remove(_ pass: inout RetentionPass) throws(StoreFailure) {
        try retention.remove(&pass)
    }

    /// A database server compresses values itself.
    package func compress(_ pass: inout CompressionPass) throws(StoreFailure) { pass = .nothing }

    /// Rewrites the store in as little space as possible.
    package func compact() throws(StoreFailure) { try connection.live().rewrite() }

    // MARK: Sessions

    package func sessions(_ filter: SessionFilter) throws(StoreFailure) -> [StoredSession] {
        try sessionTable.sessions(filter)
    }

    package func session(
        before cursor: SessionCursor, at station: StationID
    ) throws(StoreFailure) -> EarlierSession? {
        try sessionTable.session(before: cursor, at: station)
    }

    package func sessions(named session: String) throws(StoreFailure) -> [SessionName] {
        try sessionTable.sessions(named: session)
    }

    package func athlete(_ slug: String) throws(StoreFailure) -> StoredAthlete? {
        try sessionTable.athlete(slug)
    }

    package func athletes(
        after slug: String?, limit: Int
    ) throws(StoreFailure) -> [StoredAthlete] {
        try sessionTable.athletes(after: slug, limit: limit)
    }

    package func evidence(of session: SessionName) throws(StoreFailure) -> SessionEvidence? {
        try recordTable.evidence(of: session)
    }

    // MARK: Gateways

    package func statusMessages() throws(StoreFailure) -> [GatewayStatusMessage] {
        try statusMessageTable.all()
    }

    package func refusals() throws(StoreFailure) -> [RefusalCount] { try refusalTable.counts() }

    // MARK: Notices

    package func noticeNumbers() throws(StoreFailure) -> NoticeNumbers? {
        try noticeTable.numbering()
    }

    package func notices(
        after sequence: UInt64, limit: Int
    ) throws(StoreFailure) -> [StoredNotice] {
        try noticeTable.notices(after: sequence, limit: limit)
    }

    package func notices(
        of kind: NoticeKind, about athlete: String
    ) throws(StoreFailure) -> [StoredNotice] {
        try noticeTable.notices(of: kind, about: athlete)
    }

    package func athletesOfStrayNotices() throws(StoreFailure) -> [String] {
        try noticeTable.athletesOfStrays()
    }

    // MARK: People

    package func corrections(of session: SessionName?) throws(StoreFailure) -> [StoredCorrection] {
        try correctionTable.corrections(of: session)
    }

    package func correct(
        _ session: SessionName, to athlete: SessionAthlete, at unixMilliseconds: Int64, by name: String?
    ) throws(StoreFailure) -> StoredCorrection? {
        try correctionTable.correct(session, to: athlete, at: unixMilliseconds, by: name)
    }

    package func profiles() throws(StoreFailure) -> [StoredProfile] { try peopleTable.profiles() }

    package func groups() throws(StoreFailure) -> [StoredGroup] { try peopleTable.groups() }

    package func save(
        _ profiles: [StoredProfile], _ groups: [StoredGroup]
    ) throws(StoreFailure) {
        try peopleTable.save(profiles, groups)
    }

    package func removeProfile(of athlete: String) throws(StoreFailure) -> Bool {
        try peopleTable.removeProfile(of: athlete)
    }

    package func removeGroup(_ id: String) throws(StoreFailure) -> Bool {
        try peopleTable.removeGroup(id)
    }

    package func atomically<Value>(_ body: () throws -> Value) throws -> Value {
        let database = try connection.live()
        var refusal: (any Error)?
        do throws(StoreFailure) {
            return try database.transaction { () throws(StoreFailure) in
                try database.lockOutWriters()
                do { return try body() } catch let failure as StoreFailure { throw failure } catch {
                    refusal = error
                    throw StoreFailure(.other, "write", place, "the change was refused")
                }
            }
        } catch { throw refusal ?? (error as any Error) }
    }

    // MARK: Coaches

    package func plans() throws(StoreFailure) -> [StoredPlan] { try planTable.all() }

    package func save(_ plan: StoredPlan) throws(StoreFailure) { try planTable.save(plan) }

    package func removePlan(_ slug: String) throws(StoreFailure) -> Bool {
        try planTable.remove(slug)
    }

    package func suggestions(of athlete: String?) throws(StoreFailure) -> [StoredSuggestionResponse] {
        try suggestionTable.responses(of: athlete)
    }

    package func save(_ suggestion: StoredSuggestionResponse) throws(StoreFailure) {
        try suggestionTable.save(suggestion)
    }

    package func heartLimits(of athlete: String?) throws(StoreFailure) -> [StoredHeartLimits] {
        try heartLimitTable.limits(of: athlete)
    }

    package func save(_ heart: StoredHeartLimits) throws(StoreFailure) {
        try heartLimitTable.save(heart)
    }

    package func removeHeartLimits(of athlete: String) throws(StoreFailure) {
        try heartLimitTable.remove(of: athlete)
    }
}

extension StoreBatch {
    /// Distinguishes the batch from others, for a repeated call with the same arguments.
    fileprivate var identity: [String] {
        let ends = [records.first, records.last].map { record in
            record.map { "\($0.stream.label) \($0.stream.epoch) \($0.sequence)" } ?? ""
        }
        return ends + [
            "\(now)", "\(records.count)", "\(notes.count)", "\(states.count)", "\(statusMessages.count)",
            notices.added.first?.subject ?? "", "\(notices.published ?? 0)",
            "\(refusals.reduce(0) { $0 + $1.times })",
        ]
    }
}
