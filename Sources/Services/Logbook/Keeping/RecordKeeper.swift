import Contract
import DeliveryProof
import HostRuntime
import LogbookStores
import MQTTClient
import Synchronization
import Timeline

/// Keeps what gateways publish: takes it from the broker's connection, stores it in batches on a queue
/// of its own, asks gateways for what is missing, and says in the journal what became of it.
///
/// A message is taken on the connection's thread, behind a lock that no disk is waited for under. The
/// thread is held up only while far too much waits (`BackPressure`).
final class RecordKeeper: Sendable {
    /// Between two looks at what is due.
    static let pace = Duration.milliseconds(250)
    /// Looks between two at sessions that cannot be completed.
    private static let judgementTicks = 40
    /// Looks between two at whether the store's file is still in its place: 2 s.
    private static let placeTicks = 8
    /// Looks between two at who shares the store.
    static let sharingTicks = 20

    /// Of the queue alone.
    struct Desk {
        var timer: QueueTimer?
        var judge = SessionJudge()
        /// Sessions of which something was stored since they were judged.
        var unjudged: Set<SessionName>
        /// Of the last failure: the same again and again would bury everything else.
        var words: String?
        var ticks = 0
        var publish: @Sendable (ReplayDesk.Request) -> Void = { _ in }
        var said: @Sendable () -> [GatewayWord] = { [] }
        var memory = GatewayMemory()
        /// See `RecordKeeper+Notices.swift`.
        var outlets = NoticeOutlets()
        var notices: NoticeDesk
        var numbers: NoticeNumbers?
        /// Notices up to here were told, or are of a time before us.
        var told: UInt64
        var retention: Retention
        /// See `RecordKeeper+Sharing.swift`; nil for a store that is ours alone.
        var share: StoreShare?
        /// See `RecordKeeper+Condition.swift`: how often the store's file had been replaced when it was read.
        var replacements = 0
        /// Whether nothing can be opened at the store's path.
        var hasNoPlace = false
    }

    nonisolated(unsafe) let store: any LogbookStore  // of the executor, after init
    let intake: Mutex<Intake>
    let state = Mutex(StoreCondition())
    private let pressure = BackPressure()
    let runtime: any Runtime
    let log: SystemLog
    let executor: SerialQueueExecutor
    nonisolated(unsafe) var desk: Desk  // of the executor alone

    /// Reads what the store knows.
    init(
        _ store: any LogbookStore, retention: Retention = Retention(), runtime: any Runtime,
        log: SystemLog
    ) throws(StoreFailure) {
        self.store = store
        self.runtime = runtime
        self.log = log
        let share = try store.deal()
        let ledger = HoleLedger(try store.streams(), try store.declarations())
        let token = runtime.makeULID().description.lowercased()
        let parts = share?.parts ?? .all
        intake = Mutex(Intake(ledger, of: parts, token: token))
        let numbers = try store.noticeNumbers()
        desk = Desk(
            unjudged: try Self.missing(in: store, parts),
            notices: NoticeDesk(published: numbers?.published ?? 0), numbers: numbers,
            told: numbers?.last ?? 0, retention: retention, share: share)
        executor = runtime.makeQueue(label: "logbook.store")
        if numbers == nil { beginNotices() }
    }

    /// Begins to store, and to ask.
    ///
    /// - Parameters:
    ///   - said: what gateways said of themselves; called on the keeper's queue.
    ///   - notices: where what the logbook says by itself goes.
    ///   - publish: sends a command to a gateway; called there too.
    func start(
        said: @escaping @Sendable () -> [GatewayWord] = { [] },
        notices: NoticeOutlets = NoticeOutlets(),
        publish: @escaping @Sendable (ReplayDesk.Request) -> Void
    ) {
        executor.async { [self] in
            (desk.publish, desk.said, desk.outlets) = (publish, said, notices)
            sayShare()
            desk.timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.step() }
            desk.timer?.fire(every: Self.pace)
        }
    }

    /// Stores what waits, and lets go of the store. Returns when that is done.
    func stop() {
        executor.enter { [self] in
            desk.timer?.cancel()
            remember(isLast: true)
            // Again for what became of sessions.
            repeat { judge() } while keep(isLast: true)
            let waiting = waitingCount
            if waiting > 0 {
                log.warning("\(waiting) records were not stored; they are asked for again")
            }
            store.close()
        }
    }

    // MARK: From the broker

    /// Waits on this thread while too much waits to be stored, so that the broker sends no more.
    func waitForRoom() {
        pressure.hold { intake.withLock { $0.isHeldUp(at: runtime.now()) } }
    }

    func hear(_ message: IncomingMessage) {
        let now = runtime.now()
        let refusal = intake.withLock { $0.hear(message.topic, message.payload, at: now) }
        guard let refusal else { return }
        log.warning(
            "a record on \(message.topic) is refused, because \(refusal.words); "
                + "others like it are only counted")
    }

    func connected() {
        intake.withLock { $0.connected() }
        executor.async { [self] in desk.notices.connected() }
    }

    func disconnected() {
        intake.withLock { $0.disconnected() }
        executor.async { [self] in desk.notices.disconnected() }
    }

    /// Where the store is.
    var place: String { store.place }

    /// Messages that were no records, by their reasons.
    var refused: [Intake.Refusal: UInt64] { intake.withLock { $0.refused } }

    /// Records that are not durable yet.
    var waitingCount: Int { intake.withLock { $0.waitingCount } }

    // MARK: On the queue

    /// Sessions of these gateways that were not proven when they were judged last.
    static func missing(
        in store: any LogbookStore, _ parts: GatewayParts
    ) throws(StoreFailure) -> Set<SessionName> {
        var filter = SessionFilter(limit: Int(Int32.max))
        filter.states = [.missing]
        return Set(try store.sessions(filter).map(\.name)).filter { parts.contains($0.gateway) }
    }

    /// Does what is due.
    func step() {
        if desk.ticks % Self.placeTicks == 0 { verifyPlace() }
        readReplacement()
        if desk.share != nil, desk.ticks % Self.sharingTicks == 0 { deal() }
        keep()
        judge()
        desk.ticks += 1
        if desk.ticks % Self.judgementTicks == 0 {
            giveUp()
            remember()
            desk.outlets.look()
            tellNew()
        }
        publishNotices()
        let now = runtime.now()
        let (requests, news) = intake.withLock { intake in
            (intake.requests(at: now), intake.takeNews())
        }
        for request in requests { desk.publish(request) }
        for item in news { say(item) }
        removeOld(at: now)
    }

    /// Whether something was stored.
    @discardableResult func keep(isLast: Bool = false) -> Bool {
        let (now, unix) = (runtime.now(), runtime.unixMilliseconds())
        let batch = intake.withLock {
            $0.nextBatch(at: now, unixMilliseconds: unix, isLast: isLast)
        }
        guard let batch else { return false }
        do throws(StoreFailure) {
            let report = try store.commit(batch)
            intake.withLock { $0.stored(at: runtime.now()) }
            pressure.release()
            recovered()
            if report.conflicts > 0 {
                log.warning(
                    "\(report.conflicts) records came again with another content; the first are kept"
                )
            }
            desk.unjudged.formUnion(report.sessions)
            tell(of: batch)
            return true
        } catch {
            intake.withLock { $0.notStored(at: now, error.kind) }
            failed(error)
            return false
        }
    }

    private func judge() {
        guard !desk.unjudged.isEmpty else { return }
        do throws(StoreFailure) {
            note(try desk.judge.judge(desk.unjudged, in: store, at: runtime.now()))
            desk.unjudged = []
        } catch { failed(error) }
    }

    private func giveUp() {
        let ledger = intake.withLock { $0.ledger }
        note(desk.judge.giveUp(ledger, at: runtime.now()))
    }

    /// Has the store know what gateways said of themselves, for when they, or we, are away.
    private func remember(isLast: Bool = false) {
        let news = desk.memory.news(of: desk.said(), isLast: isLast)
        if !news.isEmpty { intake.withLock { $0.note(news) } }
    }

    /// A few of the records that are kept for so long and no longer, when few wait to be stored.
    private func removeOld(at now: BootInstant) {
        guard desk.share?.parts.isFirst ?? true, desk.words == nil, waitingCount < Intake.Limit.batch / 2,
            var pass = desk.retention.next(at: now, runtime.wall())
        else { return }
        do throws(StoreFailure) {
            try store.remove(&pass)
            desk.retention.went(pass)
            guard pass.isDone, pass.removed > 0 else { return }
            let days = desk.retention.days[pass.kind] ?? 0
            log.notice(
                "\(pass.removed) \(pass.kind.topicName) records are removed that were older than "
                    + "\(days) \(days == 1 ? "day" : "days"), as the configuration has it")
        } catch { failed(error) }
    }

    private func note(_ states: [SessionName: SessionState]) {
        if states.isEmpty { return }
        intake.withLock { $0.note(states) }
        for (name, state) in states where state != .missing {
            let words = "\(name.gateway): session \(name.session) \(state.words)"
            if state == .verified { log.info(words) } else { log.warning(words) }
        }
    }

    // MARK: The journal

    func failed(_ failure: StoreFailure) {
        let words = "\(failure)"
        if words != desk.words {
            log.error("\(words); \(waitingCount) records wait in memory, and it is tried again")
        }
        desk.words = words
        noteFailure(failure)
    }

    func recovered() {
        if desk.words != nil { log.notice("the store \(store.place) takes records again") }
        desk.words = nil
        state.withLock { $0.failure = nil }
    }

    private func say(_ news: ReplayDesk.News) {
        switch news {
        case .asked(let hole): log.notice("\(hole.words) missing, and asked for")
        case .filled(let hole): log.info("\(hole.words) now here")
        case .gone(let hole): log.warning("\(hole.words) gone: the gateway has no such record")
        case .refused(let hole):
            log.warning("\(hole.words) here, but refused: rowgate-logbook gateways says why")
        case .putOff(let hole, let words):
            log.warning("\(hole.words) missing, and asked for again later: \(words)")
        }
    }
}

extension HoleLedger.Hole {
    /// `boathouse/erg-1 stroke 7-9 are`, as a sentence begins.
    fileprivate var words: String {
        "\(stream.words) \(sequences.words) \(sequences.length == 1 ? "is" : "are")"
    }
}

extension SessionState {
    /// As a sentence ends.
    fileprivate var words: String {
        switch self {
        case .open: "goes on"
        case .verified: "is verified: all its records are here"
        case .missing: "lacks records, which are asked for"
        case .gone: "lacks records that nobody has any more"
        case .differs: "has records that are not what its manifest says"
        }
    }
}
