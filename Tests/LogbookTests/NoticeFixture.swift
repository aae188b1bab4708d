import Bytes
import HostRuntime
import TestSupport
import Testing
import Timeline
import Training

@testable import Contract
@testable import Logbook
@testable import LogbookStores
@testable import MQTTClient

/// A logbook in stepped time that finds personal bests and publishes them to a simulated broker.
final class NoticeFixture: @unchecked Sendable {  // of the loop's thread alone
    private let machine: SteppedRuntime
    private let path: String
    let room: LiveRoom
    private var ingester: RecordIngester?
    private var reader: StoreQueue?
    private var noticeUpdater: AthleteNoticeUpdater?
    private let topics = LogbookTopicMap(logbook: LogbookID("club")!, below: .standard)
    var traffic = Traffic()
    /// Published messages in order.
    private(set) var published: [(topic: String, payload: [UInt8])] = []
    /// Whether the broker acknowledges messages, and whether it refuses them.
    var acknowledges = true
    var refusesPublish = false
    /// Whether notices about suggestions are added.
    var addsSuggestions = false
    /// Whether notices about training are added.
    var addsTraining = false
    /// How often each athlete was checked, and whether the first check of one sees that athlete change again.
    private(set) var checks: [String: Int] = [:]
    var changesDuringCheck = false
    /// The largest number of sessions without metrics with which an athlete is checked, from the next start on.
    var maximumMissing = AthleteNoticeUpdater.maximumMissingMetrics
    /// The club's calendar from the next start on.
    var calendar = ClubCalendar.utc
    private(set) var lines: [String] = []

    init(on machine: SteppedRuntime, folder: String) {
        self.machine = machine
        // The time of the records in test messages.
        machine.mapping = WallClock(
            bootID: "5b1f", unixMillisecondsAtBoot: 1_788_627_000_000, isSynchronized: true)
        path = folder + "/logbook.db"
        room = LiveRoom(runtime: machine, log: SystemLog(subsystem: "test", threshold: .critical))
    }

    func start() throws {
        let log = SystemLog(
            subsystem: "store",
            destination: .reader { [weak self] _, line, _ in self?.lines.append(line) })
        let ingester = try RecordIngester(
            SQLiteStore(path, for: .recording), runtime: machine, log: log)
        let reader = StoreQueue(runtime: machine, log: log) { [path] () throws(StoreFailure) in
            try SQLiteStore(path, for: .readOnly)
        }
        let noticeUpdater = AthleteNoticeUpdater(
            reader: reader, history: AthleteHistory(in: calendar), room: room, runtime: machine,
            maximumMissing: maximumMissing,
            otherChanges: {
                [weak self, addsSuggestions, addsTraining, calendar] athlete, pieces, store, now
                    throws(StoreFailure) in
                var changes = NoticeChanges()
                self?.noteCheck(of: athlete)
                if addsSuggestions {
                    changes.merge(
                        try SuggestionNotices.changes(
                            of: athlete, pieces, in: store, at: now, calendar: calendar))
                }
                if addsTraining {
                    changes.merge(
                        try TrainingNotices.changes(
                            of: athlete, pieces, in: store, at: now, calendar: calendar))
                }
                return changes
            },
            apply: { [weak ingester] in ingester?.enqueue($0) })
        var handlers = NoticeHandlers()
        handlers.publish = { [weak self] in self?.publish($0, $1) }
        handlers.show = { [room] in room.showBest($0) }
        handlers.sessionsChanged = { noticeUpdater.sessionsChanged($0) }
        handlers.tick = { noticeUpdater.checkPending() }
        ingester.start(notices: handlers, publish: { _ in })
        room.subscribed()
        (self.ingester, self.reader, self.noticeUpdater) = (ingester, reader, noticeUpdater)
    }

    func stop() async {
        reader?.stop()
        ingester?.stop()
        await machine.sleep(for: .seconds(1))
        (ingester, reader, noticeUpdater) = (nil, nil, nil)
    }

    func connect() { ingester?.connected() }
    func disconnect() { ingester?.disconnected() }

    private func noteCheck(of athlete: String) {
        checks[athlete, default: 0] += 1
        guard changesDuringCheck else { return }
        changesDuringCheck = false
        noticeUpdater?.athleteChanged(athlete)
    }

    private func publish(_ notice: StoredNotice, _ epoch: String) {
        let payload = NoticePayload.published(
            notice.members, of: notice.kind, logbook: topics.logbook, epoch: epoch,
            sequence: notice.sequence, at: notice.madeAt)
        if refusesPublish { return ingester?.refused(notice: notice.sequence) ?? () }
        published.append((topics.topic(of: notice.kind), payload))
        if acknowledges { ingester?.acknowledged(notice: notice.sequence) }
    }

    /// Sends the messages of a piece that ended `ago`. Each `number` uses another erg.
    @discardableResult func row(
        _ number: Int, in seconds: Double, by athlete: String = "anna", ago: Duration = .zero,
        metres: Int = 500
    ) async throws -> [Traffic.Message] {
        let begin = machine.unixMilliseconds() - ago.wholeMilliseconds - Int64(seconds * 1000)
        let erg = try #require(StationID("erg-\(number)"))
        let messages = traffic.piece(
            Self.id(number), at: begin, metres, by: athlete, seconds: seconds, of: erg)
        await receive(messages)
        return messages
    }

    func receive(_ messages: [Traffic.Message]) async {
        for message in messages {
            ingester?.handle(IncomingMessage(topic: message.topic, payload: message.payload))
        }
        await machine.sleep(for: .seconds(20))
    }

    static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)" }

    /// Assigns a stored session to another athlete, as another program would.
    func reassign(_ number: Int, to athlete: String) throws {
        let database = try SQLiteDatabase(path, for: .readWrite)
        try database.execute(
            "UPDATE session SET athlete_id = '\(athlete)' WHERE session_id = '\(Self.id(number))'")
        database.close()
    }

    /// Stores the metrics of all sessions.
    func storeMetrics() throws {
        let store = try SQLiteStore(path, for: .editing)
        for session in try store.sessions(SessionFilter(limit: 100)) {
            try store.sessionMetrics.save(
                try AthleteHistory(in: calendar).metrics(of: session, in: store), of: session,
                version: PieceTraining.version)
        }
        store.close()
    }

    /// Merges an athlete into another one, or undoes that, as a coach on the pages.
    func merge(_ athlete: String, into kept: String, undo: Bool = false) async throws {
        let store = try SQLiteStore(path, for: .editing)
        let now = machine.unixMilliseconds()
        if undo {
            _ = try MergeRepository.undo(athlete, at: now, in: store)
        } else {
            _ = try MergeRepository.merge(athlete, into: kept, at: now, by: "coach", in: store)
        }
        store.close()
        for changed in undo ? [kept, athlete] : [athlete, kept] { noticeUpdater?.athleteChanged(changed) }
        await machine.sleep(for: .seconds(20))
    }

    /// Answers the first open suggestion of an athlete.
    func answer(_ answer: SuggestionAnswer, as athlete: String) async throws {
        let store = try SQLiteStore(path, for: .editing)
        let (suggestionService, now) = (
            SuggestionService(history: AthleteHistory(in: calendar)), machine.unixMilliseconds()
        )
        let first = try suggestionService.suggestions(to: athlete, in: store, at: now).open.first
        _ = try suggestionService.apply(
            answer, to: first?.id ?? "", of: athlete, by: "coach", in: store, at: now)
        store.close()
        noticeUpdater?.athleteChanged(athlete)
        await machine.sleep(for: .seconds(20))
    }

    /// Sends five sessions that end three weeks ago, the newest first.
    func rowBeforeBreak(by athlete: String) async throws {
        for number in 0..<5 {
            try await row(20 + number, in: 100, by: athlete, ago: .seconds(86_400 * (21 + number)))
        }
    }

    /// The sequence number of each message with its content, or with the number that it withdraws.
    var summaries: [String] {
        published.map { message in
            guard let fields = try? JSONObject(parsing: message.payload) else { return "no JSON" }
            let number = fields.number("seq") ?? 0
            if let withdrawn = fields.number("withdraws_seq") {
                return "\(number) withdraws \(withdrawn)"
            }
            if let rule = fields.text("rule") {
                return "\(number) \(rule) \(fields.text("state") ?? "")"
            }
            if let length = fields.text("by"), case .list(let inputs)? = fields["inputs"] {
                return "\(number) \(length) of \(inputs.count)"
            }
            return "\(number) \(fields.text("result") ?? "") \(fields.text("event") ?? "") "
                + (fields.text("scope") ?? "")
        }
    }
}
