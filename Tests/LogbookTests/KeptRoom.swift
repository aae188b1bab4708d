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

/// A keeper in stepped time, a gateway with its ring in memory, and what lies between them.
final class KeptRoom: @unchecked Sendable {  // of the loop's thread alone
    private let machine: SteppedRuntime
    private let queue: SerialQueueExecutor
    private let path: String
    private var program: SteppedRuntime?
    private var keeper: RecordKeeper?
    private(set) var store: StubbornStore?

    var traffic = Traffic()
    /// What the gateway's ring holds.
    var ring: [Traffic.Message] = []
    /// Whether the gateway answers.
    var isAnswering = true
    /// Whether a message of a replay is lost on its way; by its number in the replay.
    var losesReplayed: (Int) -> Bool = { _ in false }
    private var answers: [String: [UInt8]] = [:]
    /// Every request as it was sent: its id and its range.
    private(set) var requests: [(id: String, stream: StreamID, sequences: ClosedRange<UInt64>)] = []
    private var open = 0
    /// Requests that were under way together at most.
    private(set) var mostAtOnce = 0
    private(set) var lines: [String] = []
    /// For how many days records are kept.
    var retention: [StreamKind: Int] = [:]
    /// What gateways said of themselves, as the room has it.
    var said: [GatewayWord] = []

    init(on machine: SteppedRuntime, folder: String) {
        self.machine = machine
        path = folder + "/logbook.db"
        queue = machine.makeQueue(label: "gateway")
    }

    // MARK: The program

    func start() throws {
        let program = machine.program()
        let store = StubbornStore(try SQLiteStore(path, for: .keeping))
        let log = SystemLog(
            subsystem: "store",
            destination: .reader { [weak self] _, line, _ in self?.lines.append(line) })
        let keeper = try RecordKeeper(
            store, retention: Retention(retention), runtime: program, log: log)
        keeper.start(
            said: { [weak self] in self?.said ?? [] },
            publish: { [weak self] request in self?.take(request) })
        (self.program, self.store, self.keeper) = (program, store, keeper)
    }

    /// In the middle of whatever it does.
    func kill() {
        program?.kill()
        store?.close()
        (program, store, keeper) = (nil, nil, nil)
    }

    func stop() async {
        keeper?.stop()
        await machine.sleep(for: .seconds(1))
        (program, store, keeper) = (nil, nil, nil)
    }

    var condition: StoreCondition? { keeper?.condition }

    /// Somebody removes the file while the program has it open.
    func removeStore() throws {
        guard unlink(path) == 0 else { throw TestSupportError("cannot remove \(path)") }
    }

    var refused: [Intake.Refusal: UInt64] { keeper?.refused ?? [:] }

    /// What a command finds beside the program.
    func look() throws -> SQLiteStore { try SQLiteStore(path, for: .looking) }

    /// What differs between the ring and the store.
    func differences() throws -> [String] {
        let store = try look()
        defer { store.close() }
        var differences: [String] = []
        for message in ring {
            let record = try KeptRecord(
                message.payload, of: message.stream!, from: traffic.gateway)
            let found = try store.records(
                of: record.stream, in: record.sequence...record.sequence, limit: 1)
            if found.first?.stored != record.stored {
                differences.append("\(record.stream.words) \(record.sequence)")
            }
        }
        if try store.size().records != ring.count { differences.append("other records") }
        return differences
    }

    /// Of the gateway's sessions, under the name that it has.
    func states() throws -> [String: SessionState] {
        let store = try look()
        defer { store.close() }
        let sessions = try store.sessions(SessionFilter(limit: 1000)).filter {
            $0.name.gateway == traffic.gateway
        }
        return Dictionary(uniqueKeysWithValues: sessions.map { ($0.name.session, $0.state) })
    }

    // MARK: The gateway

    func connect() {
        online()
        hear([traffic.birth()])
    }

    /// The connection stands, and the gateway is there.
    func online() {
        keeper?.connected()
        hear(topic: "availability", Array("online".utf8))
    }

    func disconnect() { keeper?.disconnected() }

    func hear(_ messages: [Traffic.Message]) {
        for message in messages {
            keeper?.hear(IncomingMessage(topic: message.topic, payload: message.payload))
        }
    }

    func hear(topic: String, _ payload: [UInt8]) {
        keeper?.hear(
            IncomingMessage(topic: "rowgate/v1/\(traffic.gateway)/" + topic, payload: payload))
    }

    private func take(_ request: ReplayDesk.Request) {
        guard let fields = try? JSONObject(parsing: request.payload),
            let id = fields.text("request_id"), let range = fields.range("from_seq", "to_seq"),
            let kind = fields.text("kind").flatMap(StreamKind.init(topicName:))
        else { return lines.append("no request: \(request)") }
        let stream = StreamID(station: fields.text("erg").flatMap(StationID.init), kind: kind)
        requests.append((id: id, stream: stream, sequences: range))
        guard isAnswering else { return }
        if let known = answers[id] { return later { $0.hear(topic: "rsp/replay", known) } }
        let found = ring.filter { $0.stream == stream && range.contains($0.sequence) }
        let reply = Array(
            (#"{"v":1,"kind":"rsp","gw":"boathouse","verb":"replay","request_id":"\#(id)","#
                + #""status":"ok","code":"done","message":"done","count":\#(found.count)}"#).utf8)
        answers[id] = reply
        open += 1
        mostAtOnce = max(mostAtOnce, open)
        later { room in
            let arriving = found.enumerated().filter { !room.losesReplayed($0.offset) }
            room.hear(arriving.map(\.element.replayed))
            room.later { room in
                room.open -= 1
                room.hear(topic: "rsp/replay", reply)
            }
        }
    }

    private func later(_ work: @escaping @Sendable (KeptRoom) -> Void) {
        machine.makeTimer(on: queue) { [weak self] in
            if let self { work(self) }
        }
        .schedule(after: .milliseconds(700), every: nil)
    }
}

/// A store that refuses as long as it is told to.
final class StubbornStore: LogbookStore {
    private let store: SQLiteStore
    var failure: StoreFailure?
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

    func deal() throws(StoreFailure) -> StoreShare? { try store.deal() }

    func sharers() throws(StoreFailure) -> [StoreSharer] { try store.sharers() }
    func streams() throws(StoreFailure) -> [StreamState] { try store.streams() }
    func declarations() throws(StoreFailure) -> [StoredDeclaration] { try store.declarations() }
    func sessions(_ filter: SessionFilter) throws(StoreFailure) -> [KeptSession] {
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
    func sessions(named session: String) throws(StoreFailure) -> [SessionName] {
        try store.sessions(named: session)
    }
    func records(
        of kind: StreamKind, in session: SessionName, after mark: RecordMark?, limit: Int
    ) throws(StoreFailure) -> [MarkedRecord] {
        try store.records(of: kind, in: session, after: mark, limit: limit)
    }
    func athletes(after slug: String?, limit: Int) throws(StoreFailure) -> [KeptAthlete] {
        try store.athletes(after: slug, limit: limit)
    }
    func conflicts(limit: Int) throws(StoreFailure) -> [StoredConflict] {
        try store.conflicts(limit: limit)
    }
    func words() throws(StoreFailure) -> [GatewayWord] { try store.words() }
    func refusals() throws(StoreFailure) -> [RefusalCount] { try store.refusals() }
    func suggestions(of athlete: String?) throws(StoreFailure) -> [KeptSuggestion] {
        try store.suggestions(of: athlete)
    }
    func keep(_ suggestion: KeptSuggestion) throws(StoreFailure) { try store.keep(suggestion) }
    func hearts(of athlete: String?) throws(StoreFailure) -> [KeptHeart] {
        try store.hearts(of: athlete)
    }
    func keep(_ heart: KeptHeart) throws(StoreFailure) { try store.keep(heart) }
    func removeHeart(of athlete: String) throws(StoreFailure) {
        try store.removeHeart(of: athlete)
    }
    func noticeNumbers() throws(StoreFailure) -> NoticeNumbers? { try store.noticeNumbers() }
    func notices(after sequence: UInt64, limit: Int) throws(StoreFailure) -> [KeptNotice] {
        try store.notices(after: sequence, limit: limit)
    }
    func notices(of kind: NoticeKind, about athlete: String) throws(StoreFailure) -> [KeptNotice] {
        try store.notices(of: kind, about: athlete)
    }
    func athletesOfStrayNotices() throws(StoreFailure) -> [String] {
        try store.athletesOfStrayNotices()
    }
    func plans() throws(StoreFailure) -> [KeptPlan] { try store.plans() }
    func put(_ plan: KeptPlan) throws(StoreFailure) { try store.put(plan) }
    func removePlan(_ slug: String) throws(StoreFailure) -> Bool { try store.removePlan(slug) }
    func size() throws(StoreFailure) -> StoreSize { try store.size() }
    func faults() throws(StoreFailure) -> [String] { try store.faults() }
    func remove(_ pass: inout RetentionPass) throws(StoreFailure) { try store.remove(&pass) }
    func close() { store.close() }
}
