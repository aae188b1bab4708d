import Bytes
import Contract
import DeliveryProof
import Glibc
import HostRuntime
import LogbookStores
import TestSupport
import Timeline

@testable import Logbook
@testable import MQTTClient

/// A record ingester in stepped time and a simulated gateway with its ring log in memory.
final class IngestFixture: @unchecked Sendable {  // of the loop's thread alone
    private let machine: SteppedRuntime
    private let queue: SerialQueueExecutor
    private let path: String
    private var program: SteppedRuntime?
    private var ingester: RecordIngester?
    private(set) var store: FailingStore?

    var traffic = Traffic()
    /// The records in the gateway's ring log.
    var ring: [Traffic.Message] = []
    /// Whether the gateway answers.
    var isAnswering = true
    /// Whether the record at this index of a replay is lost in transit.
    var isReplayedRecordLost: (Int) -> Bool = { _ in false }
    /// The gateway's answers by request id.
    private var answers: [String: [UInt8]] = [:]
    /// All sent requests.
    private(set) var requests: [(id: String, stream: StreamID, sequences: ClosedRange<UInt64>)] = []
    private var requestsInFlight = 0
    /// The maximum number of concurrent requests.
    private(set) var maximumInFlight = 0
    private(set) var logLines: [String] = []
    /// The retention times in days.
    var retention: [StreamKind: Int] = [:]
    /// The current status messages of the gateways.
    var statusMessages: [GatewayStatusMessage] = []

    init(on machine: SteppedRuntime, folder: String) {
        self.machine = machine
        path = folder + "/logbook.db"
        queue = machine.makeQueue(label: "gateway")
    }

    // MARK: The program

    func start() throws {
        let program = machine.program()
        let store = FailingStore(try SQLiteStore(path, for: .recording))
        let log = SystemLog(
            subsystem: "store",
            destination: .reader { [weak self] _, line, _ in self?.logLines.append(line) })
        let ingester = try RecordIngester(
            store, retention: RetentionSchedule(retention), runtime: program, log: log)
        ingester.start(
            statusMessages: { [weak self] in self?.statusMessages ?? [] },
            publish: { [weak self] command in self?.answer(command) })
        (self.program, self.store, self.ingester) = (program, store, ingester)
    }

    func kill() {
        program?.kill()
        store?.close()
        (program, store, ingester) = (nil, nil, nil)
    }

    func stop() async {
        ingester?.stop()
        await machine.sleep(for: .seconds(1))
        (program, store, ingester) = (nil, nil, nil)
    }

    var condition: StoreCondition? { ingester?.condition }

    /// Removes the store's file while the program has it open.
    func removeStoreFile() throws {
        guard unlink(path) == 0 else { throw TestSupportError("cannot remove \(path)") }
    }

    var refused: [IngestQueue.Refusal: UInt64] { ingester?.refused ?? [:] }

    /// Opens the store for reading, as another process does.
    func openStore() throws -> SQLiteStore { try SQLiteStore(path, for: .readOnly) }

    /// Returns the differences between the ring log and the store.
    func differences() throws -> [String] {
        let store = try openStore()
        defer { store.close() }
        var differences: [String] = []
        for message in ring {
            let record = try ValidatedRecord(
                message.payload, of: message.stream!, from: traffic.gateway)
            let found = try store.records(
                of: record.stream, in: record.sequence...record.sequence, limit: 1)
            if found.first?.stored != record.stored {
                differences.append("\(record.stream.label) \(record.sequence)")
            }
        }
        if try store.size().records != ring.count { differences.append("other records") }
        return differences
    }

    /// Returns the states of the gateway's sessions.
    func states() throws -> [String: SessionState] {
        let store = try openStore()
        defer { store.close() }
        let sessions = try store.sessions(SessionFilter(limit: 1000)).filter {
            $0.name.gateway == traffic.gateway
        }
        return Dictionary(uniqueKeysWithValues: sessions.map { ($0.name.session, $0.state) })
    }

    // MARK: The gateway

    func connect() {
        goOnline()
        deliver([traffic.birth()])
    }

    /// Connects the ingester to the broker and reports the gateway as online.
    func goOnline() {
        ingester?.connected()
        deliver(topic: "availability", Array("online".utf8))
    }

    func disconnect() { ingester?.disconnected() }

    func deliver(_ messages: [Traffic.Message]) {
        for message in messages {
            ingester?.handle(IncomingMessage(topic: message.topic, payload: message.payload))
        }
    }

    func deliver(topic: String, _ payload: [UInt8]) {
        ingester?.handle(
            IncomingMessage(topic: "rowgate/v1/\(traffic.gateway)/" + topic, payload: payload))
    }

    /// Answers a replay request as the gateway does.
    private func answer(_ command: OutgoingCommand) {
        guard let fields = try? JSONObject(parsing: command.payload),
            let id = fields.text("request_id"), let range = fields.range("from_seq", "to_seq"),
            let kind = fields.text("kind").flatMap(StreamKind.init(topicName:))
        else { return logLines.append("invalid request: \(command)") }
        let stream = StreamID(station: fields.text("erg").flatMap(StationID.init), kind: kind)
        requests.append((id: id, stream: stream, sequences: range))
        guard isAnswering else { return }
        if let known = answers[id] { return later { $0.deliver(topic: "rsp/replay", known) } }
        let found = ring.filter { $0.stream == stream && range.contains($0.sequence) }
        let reply = Array(
            (#"{"v":1,"kind":"rsp","gw":"boathouse","verb":"replay","request_id":"\#(id)","#
                + #""status":"ok","code":"done","message":"done","count":\#(found.count)}"#).utf8)
        answers[id] = reply
        requestsInFlight += 1
        maximumInFlight = max(maximumInFlight, requestsInFlight)
        later { fixture in
            let arriving = found.enumerated().filter { !fixture.isReplayedRecordLost($0.offset) }
            fixture.deliver(arriving.map(\.element.replayed))
            fixture.later { fixture in
                fixture.requestsInFlight -= 1
                fixture.deliver(topic: "rsp/replay", reply)
            }
        }
    }

    private func later(_ work: @escaping @Sendable (IngestFixture) -> Void) {
        machine.makeTimer(on: queue) { [weak self] in
            if let self { work(self) }
        }
        .schedule(after: .milliseconds(700), every: nil)
    }
}

/// A store whose commits fail while `failure` is set, and whose compression while `compressionFailure` is.
final class FailingStore: LogbookStore {
    private let store: SQLiteStore
    var failure: StoreFailure?
    var compressionFailure: StoreFailure?
    private(set) var attempts = 0

    init(_ store: SQLiteStore) { self.store = store }

    var place: String { store.place }

    func verifyPlace() throws(StoreFailure) { try store.verifyPlace() }

    var replacement: (count: Int, last: ReplacedFile?) { store.replacement }

    func commit(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport {
        attempts += 1
        if let failure { throw failure }
        return try store.commit(batch)
    }

    func rebalanceShards() throws(StoreFailure) -> StoreShare? { try store.rebalanceShards() }

    func sharers() throws(StoreFailure) -> [StoreSharer] { try store.sharers() }
    func streams() throws(StoreFailure) -> [StreamState] { try store.streams() }
    func declarations() throws(StoreFailure) -> [StoredDeclaration] { try store.declarations() }
    func sessions(_ filter: SessionFilter) throws(StoreFailure) -> [StoredSession] {
        try store.sessions(filter)
    }
    func evidence(of session: SessionName) throws(StoreFailure) -> SessionEvidence? {
        try store.evidence(of: session)
    }
    func records(
        of stream: StoredStream, in sequences: ClosedRange<UInt64>, limit: Int
    ) throws(StoreFailure) -> [(sequence: UInt64, stored: [UInt8])] {
        try store.records(of: stream, in: sequences, limit: limit)
    }
    func athlete(_ slug: String) throws(StoreFailure) -> StoredAthlete? { try store.athlete(slug) }

    func session(
        before cursor: SessionCursor, at station: StationID
    ) throws(StoreFailure) -> EarlierSession? { try store.session(before: cursor, at: station) }

    func sessions(named session: String) throws(StoreFailure) -> [SessionName] {
        try store.sessions(named: session)
    }
    func records(
        of kind: StreamKind, in session: SessionName, after mark: RecordCursor?, limit: Int
    ) throws(StoreFailure) -> [PagedRecord] {
        try store.records(of: kind, in: session, after: mark, limit: limit)
    }
    func records(
        of kind: StreamKind, in sessions: [SessionName]
    ) throws(StoreFailure) -> [SessionName: [[UInt8]]] {
        try store.records(of: kind, in: sessions)
    }
    func athletes(after slug: String?, limit: Int) throws(StoreFailure) -> [StoredAthlete] {
        try store.athletes(after: slug, limit: limit)
    }
    func conflicts(limit: Int) throws(StoreFailure) -> [StoredConflict] {
        try store.conflicts(limit: limit)
    }
    func statusMessages() throws(StoreFailure) -> [GatewayStatusMessage] { try store.statusMessages() }
    func refusals() throws(StoreFailure) -> [RefusalCount] { try store.refusals() }
    func suggestions(of athlete: String?) throws(StoreFailure) -> [StoredSuggestionResponse] {
        try store.suggestions(of: athlete)
    }
    func save(_ suggestion: StoredSuggestionResponse) throws(StoreFailure) { try store.save(suggestion) }
    func heartLimits(of athlete: String?) throws(StoreFailure) -> [StoredHeartLimits] {
        try store.heartLimits(of: athlete)
    }
    func save(_ heart: StoredHeartLimits) throws(StoreFailure) { try store.save(heart) }
    func removeHeartLimits(of athlete: String) throws(StoreFailure) {
        try store.removeHeartLimits(of: athlete)
    }
    func noticeNumbers() throws(StoreFailure) -> NoticeNumbers? { try store.noticeNumbers() }
    func notices(after sequence: UInt64, limit: Int) throws(StoreFailure) -> [StoredNotice] {
        try store.notices(after: sequence, limit: limit)
    }
    func notices(of kind: NoticeKind, about athlete: String) throws(StoreFailure) -> [StoredNotice] {
        try store.notices(of: kind, about: athlete)
    }
    func athletesOfStrayNotices() throws(StoreFailure) -> [String] {
        try store.athletesOfStrayNotices()
    }
    func plans() throws(StoreFailure) -> [StoredPlan] { try store.plans() }
    func save(_ plan: StoredPlan) throws(StoreFailure) { try store.save(plan) }
    func removePlan(_ slug: String) throws(StoreFailure) -> Bool { try store.removePlan(slug) }
    var users: UserTable { store.users }
    var merges: MergeTable { store.merges }
    var pieceLinks: PieceLinkTable { store.pieceLinks }
    var pieceAdditions: PieceAdditionTable { store.pieceAdditions }
    var uploads: UploadTable { store.uploads }
    var uploadAccounts: UploadAccountTable { store.uploadAccounts }
    var raceDocuments: RaceDocumentTable { store.raceDocuments }
    var sessionMetrics: SessionMetricsTable { store.sessionMetrics }
    var clubQuarters: ClubQuarterTable { store.clubQuarters }
    func atomically<Value>(_ body: () throws -> Value) throws -> Value { try store.atomically(body) }
    func bytesPerYear(at now: Int64) throws(StoreFailure) -> Int? { try store.bytesPerYear(at: now) }
    func compress(_ pass: inout CompressionPass) throws(StoreFailure) {
        if let compressionFailure { throw compressionFailure }
        try store.compress(&pass)
    }
    func corrections(of session: SessionName?) throws(StoreFailure) -> [StoredCorrection] {
        try store.corrections(of: session)
    }
    func correct(
        _ session: SessionName, to athlete: SessionAthlete, at unixMilliseconds: Int64, by name: String?
    ) throws(StoreFailure) -> StoredCorrection? {
        try store.correct(session, to: athlete, at: unixMilliseconds, by: name)
    }
    func profiles() throws(StoreFailure) -> [StoredProfile] { try store.profiles() }
    func groups() throws(StoreFailure) -> [StoredGroup] { try store.groups() }
    func save(_ profiles: [StoredProfile], _ groups: [StoredGroup]) throws(StoreFailure) {
        try store.save(profiles, groups)
    }
    func removeProfile(of athlete: String) throws(StoreFailure) -> Bool {
        try store.removeProfile(of: athlete)
    }
    func removeGroup(_ id: String) throws(StoreFailure) -> Bool { try store.removeGroup(id) }
    func size() throws(StoreFailure) -> StoreSize { try store.size() }
    func faults() throws(StoreFailure) -> [String] { try store.faults() }
    func remove(_ pass: inout RetentionPass) throws(StoreFailure) { try store.remove(&pass) }
    func close() { store.close() }
}
