import Bytes
import Contract
import DeliveryProof
import LogbookStores
import Timeline

/// What came from the broker and is to be stored: batches of it, when they are due, and what is to be
/// asked for. A value without a clock.
///
/// A batch that the store did not take is kept and tried again, and what comes meanwhile waits behind
/// it. Where the store is only slower than the broker, whoever brings records waits too (`isHeldUp`). What
/// does not fit any more is let go: the gateway's ring has it, and its number stays a hole.
struct Intake {
    /// When a batch is due, and what may wait.
    enum Limit {
        /// So many records make a batch.
        static let batch = 500
        /// The first record of a batch waits so long at most.
        static let linger = Duration.seconds(1)
        /// What is known besides records is stored this often, where no record comes.
        static let notes = Duration.seconds(10)
        /// Records of one commit: more would keep others from the disk.
        static let largestBatch = 5000
        /// Bytes of records that wait for a store; in memory they take three times as much.
        static let waitingBytes = 16 << 20
        /// A store that has taken nothing for so long holds nobody up any more: what comes is let go.
        static let patience = Duration.seconds(2)
        /// Before the first attempt to store a batch again, doubled up to the last.
        static let retries = Duration.seconds(1)...Duration.seconds(30)
    }

    /// Why a message is not taken.
    enum Refusal: Hashable {
        /// It is no record: what is wrong with it.
        case defect(String)
        /// There are too many streams already.
        case noRoom
        /// The store is slower than the broker, and no more can wait.
        case full
        /// The store fails, and no more can wait.
        case storeFailed(StoreFailure.Kind)

        var words: String {
            switch self {
            case .defect(let words): words
            case .noRoom: "there are too many streams"
            case .full: "too many records wait for the store already; they are asked for later"
            case .storeFailed(let kind):
                "the store fails (\(kind.rawValue)) and too many records wait already; they are "
                    + "requested later"
            }
        }

        /// As programs read it: a word for each kind.
        var reason: String {
            switch self {
            case .defect: "no_record"
            case .noRoom: "too_many_streams"
            case .full: "queue_full"
            case .storeFailed(let kind): kind.rawValue
            }
        }
    }

    private(set) var ledger: HoleLedger
    /// Of these gateways records are kept here; of the others another logbook keeps them. What they
    /// announce is heard of all: a part may change hands.
    private(set) var parts: GatewayParts
    private var desk: ReplayDesk
    private var waiting: [KeptRecord] = []
    private var waitingBytes = 0
    /// When the first of them came.
    private var since: BootInstant?
    private var notedAt: BootInstant?
    private var states: [SessionName: SessionState] = [:]
    private var words: [GatewayWord] = []
    private var notices = NoticeChanges()
    /// Handed to the store, which has not taken it yet.
    private var pending: StoreBatch?
    private var isStoring = false
    private var failures = 0
    /// Why the store did not take the batch.
    private var failure: StoreFailure.Kind?
    private var retryAt: BootInstant?
    /// When the store took something last.
    private var storedAt: BootInstant?
    private(set) var refused: [Refusal: UInt64] = [:]
    /// Of gateways by reason, since the last batch.
    private var refusals: [GatewayID: [String: UInt64]] = [:]

    /// - Parameter token: see `ReplayDesk`.
    init(_ ledger: HoleLedger, of parts: GatewayParts = .all, token: String) {
        self.ledger = ledger
        self.parts = parts
        desk = ReplayDesk(token: token)
    }

    /// Records that are not durable yet.
    var waitingCount: Int { waiting.count + (pending?.records.count ?? 0) }

    // MARK: From the broker

    /// Takes a message of any topic; what is neither a record nor of use for finding holes is passed
    /// over. Returns why a message on a durable topic is refused, if it is.
    mutating func hear(_ topic: String, _ payload: [UInt8], at now: BootInstant) -> Refusal? {
        guard let (gateway, content) = TopicMap.read(topic) else { return nil }
        switch content {
        case .record(let stream):
            if parts.contains(gateway) { return take(payload, stream, gateway, at: now) }
        case .retained(.availability):
            desk.take(isOnline: payload == Availability.online.payload, gateway)
        case .retained(let topic):
            if let fields = Self.fields(payload) { ledger.take(topic, fields, from: gateway) }
        case .reply(nil, ReplayRequest.verb):
            if let fields = Self.fields(payload) {
                desk.take(reply: fields, from: gateway, at: now)
            }
        case .live, .roomLive, .crewLive, .command, .reply: break
        }
        return nil
    }

    private static func fields(_ payload: [UInt8]) -> JSONObject? {
        guard payload.count <= KeptRecord.maximumBytes else { return nil }
        do { return try JSONObject(parsing: payload) } catch { return nil }
    }

    private mutating func take(
        _ payload: [UInt8], _ stream: StreamID, _ gateway: GatewayID, at now: BootInstant
    ) -> Refusal? {
        do throws(RecordDefect) {
            let record = try KeptRecord(payload, of: stream, from: gateway)
            guard ledger.hasRoom(for: record.stream) else { return refuse(.noRoom, of: gateway) }
            guard ledger.isPlausible(record.sequence, in: record.stream) else {
                throw RecordDefect(words: "its number is far beyond all others of its stream")
            }
            guard waitingBytes < Limit.waitingBytes else {
                return refuse(failure.map(Refusal.storeFailed) ?? .full, of: gateway)
            }
            desk.heard(stream, from: gateway, record.sequence, isHistorical: record.isHistorical)
            ledger.take(record)
            waiting.append(record)
            waitingBytes += record.stored.count
            if since == nil { since = now }
            return nil
        } catch {
            desk.heard(stream, from: gateway, error.number?.sequence, isHistorical: true)
            if let number = error.number {
                let stored = StoredStream(gateway: gateway, epoch: number.epoch, stream: stream)
                ledger.refuse(number.sequence, of: stored)
            }
            return refuse(.defect(error.words), of: gateway)
        }
    }

    /// Returns it the first time.
    private mutating func refuse(_ refusal: Refusal, of gateway: GatewayID) -> Refusal? {
        refused[refusal, default: 0] += 1
        if refusals[gateway] != nil || refusals.count < HoleLedger.maximumGateways {
            let known = refusals[gateway]?.keys
            let isCounted =
                known?.contains(refusal.words) ?? true
                || (known?.count ?? 0) < RefusalCount.mostReasons
            let reason = isCounted ? refusal.words : RefusalCount.otherReason
            refusals[gateway, default: [:]][reason, default: 0] += 1
        }
        return refused[refusal] == 1 ? refusal : nil
    }

    /// Whether whoever brings records does better to wait: there is no room now, and will be soon.
    func isHeldUp(at now: BootInstant) -> Bool {
        guard waitingBytes >= Limit.waitingBytes, failures == 0, let storedAt else { return false }
        return storedAt.duration(to: now) < Limit.patience
    }

    /// We listen from now on.
    mutating func connected() { desk.connected() }

    mutating func disconnected() { desk.disconnected() }

    // MARK: Sharing a store

    /// Other gateways are ours from now on.
    ///
    /// - Parameters:
    ///   - states: what the store has of streams.
    ///   - declarations: the same of what cannot come.
    mutating func take(
        _ share: StoreShare, _ states: [StreamState], _ declarations: [StoredDeclaration]
    ) {
        parts = share.parts
        desk.leave { [parts] in !parts.contains($0) }
        ledger.takeOver({ share.taken.contains($0) }, states, declarations)
        let left = waiting.filter { !parts.contains($0.stream.gateway) }
        waitingBytes -= left.reduce(0) { $0 + $1.stored.count }
        waiting.removeAll { !parts.contains($0.stream.gateway) }
        takeWaiting(of: share.taken)
    }

    /// Records that are on their way into the store, and not in it.
    private mutating func takeWaiting(of parts: GatewayParts) {
        for record in (pending?.records ?? []) + waiting
        where parts.contains(record.stream.gateway) {
            ledger.take(record)
        }
    }

    /// Another file is in the place of the store. What it lacks is requested, also what the store before
    /// had, and requests that are under way count no more.
    mutating func replaceStore(_ states: [StreamState], _ declarations: [StoredDeclaration]) {
        desk.leave { _ in true }
        ledger.takeOver({ _ in true }, states, declarations)
        takeWaiting(of: .all)
    }

    // MARK: To the store

    /// What became of sessions is to be stored.
    mutating func note(_ new: [SessionName: SessionState]) { states.merge(new) { $1 } }

    /// What gateways said of themselves is to be stored.
    mutating func note(_ new: [GatewayWord]) {
        words.removeAll { old in new.contains { $0.gateway == old.gateway && $0.kind == old.kind } }
        words += new
    }

    /// What the logbook says by itself is to be stored.
    mutating func note(_ changes: NoticeChanges) { notices.merge(changes) }

    /// What is to be stored now, if anything is due; the caller then says what came of it.
    ///
    /// - Parameter isLast: everything is due, since the program stops.
    mutating func nextBatch(
        at now: BootInstant, unixMilliseconds: Int64, isLast: Bool = false
    ) -> StoreBatch? {
        if notedAt == nil { notedAt = now }
        guard !isStoring else { return nil }
        if let retryAt, now < retryAt, !isLast { return nil }
        if pending == nil, isLast || isDue(at: now) {
            var batch = StoreBatch(now: unixMilliseconds)
            batch.records = Array(waiting.prefix(Limit.largestBatch))
            waiting.removeFirst(batch.records.count)
            batch.notes = ledger.takeNotes()
            (batch.states, batch.words, batch.notices) = (states, words, notices)
            batch.refusals = refusals.flatMap { gateway, reasons in
                reasons.map {
                    RefusalCount(
                        gateway: gateway, reason: $0.key, times: $0.value, lastAt: unixMilliseconds)
                }
            }
            (states, words, notices, refusals) = ([:], [], NoticeChanges(), [:])
            since = waiting.isEmpty ? nil : now
            notedAt = now
            if !batch.isEmpty { pending = batch }
        }
        isStoring = pending != nil
        return pending
    }

    private func isDue(at now: BootInstant) -> Bool {
        if waiting.count >= Limit.batch { return true }
        if let since, since.duration(to: now) >= Limit.linger { return true }
        if !notices.isEmpty { return true }
        guard ledger.hasNotes || !states.isEmpty || !words.isEmpty || !refusals.isEmpty else {
            return false
        }
        // What became of a session is waited for: whether it was a best, for one.
        let pause = states.isEmpty ? Limit.notes : Limit.linger
        return notedAt.map { $0.duration(to: now) >= pause } ?? true
    }

    /// The store has taken the batch.
    mutating func stored(at now: BootInstant) {
        storedAt = now
        waitingBytes -= pending?.records.reduce(0) { $0 + $1.stored.count } ?? 0
        (pending, isStoring, failures, retryAt) = (nil, false, 0, nil)
        failure = nil
    }

    /// The store has not taken it; it is tried again.
    mutating func notStored(at now: BootInstant, _ kind: StoreFailure.Kind = .other) {
        isStoring = false
        failure = kind
        let delay = Limit.retries.lowerBound * (1 << min(failures, 10))
        failures += 1
        retryAt = now.advanced(by: min(delay, Limit.retries.upperBound))
    }

    // MARK: To the gateways

    /// What is to be asked for now. Nothing, while the store is behind: it would only wait.
    mutating func requests(at now: BootInstant) -> [ReplayDesk.Request] {
        guard failures == 0, waitingBytes < Limit.waitingBytes / 4 else { return [] }
        return desk.step(&ledger, of: parts, at: now)
    }

    /// What became of requests, since the last time.
    mutating func takeNews() -> [ReplayDesk.News] { desk.takeNews() }
}
