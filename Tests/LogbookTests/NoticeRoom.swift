import Bytes
import HostRuntime
import TestSupport
import Testing
import Timeline

@testable import Contract
@testable import Logbook
@testable import LogbookStores
@testable import MQTTClient

/// A logbook in stepped time that finds out bests and publishes them to a broker that a test plays.
final class NoticeRoom: @unchecked Sendable {  // of the loop's thread alone
    private let machine: SteppedRuntime
    private let path: String
    let room: LiveRoom
    private var keeper: RecordKeeper?
    private var reader: StoreQueue?
    private var watch: BestWatch?
    private let topics = LogbookTopicMap(logbook: LogbookID("club")!)
    var traffic = Traffic()
    /// What the broker has got, as it came.
    private(set) var published: [(topic: String, payload: [UInt8])] = []
    /// Whether it answers, and whether it lets us publish.
    var isAnswering = true
    var isRefusing = false
    /// Whether what is suggested is said too.
    var isSuggesting = false
    /// Whether what training comes to is said too.
    var isTraining = false
    /// Of the club; as of the next start.
    var calendar = ClubCalendar.utc
    private(set) var lines: [String] = []

    init(on machine: SteppedRuntime, folder: String) {
        self.machine = machine
        // The time of the records that gateways publish in tests.
        machine.mapping = WallClock(
            bootID: "5b1f", unixMillisecondsAtBoot: 1_788_627_000_000, isSynchronized: true)
        path = folder + "/logbook.db"
        room = LiveRoom(runtime: machine, log: SystemLog(subsystem: "test", threshold: .critical))
    }

    func start() throws {
        let log = SystemLog(
            subsystem: "store",
            destination: .reader { [weak self] _, line, _ in self?.lines.append(line) })
        let keeper = try RecordKeeper(
            SQLiteStore(path, for: .keeping), runtime: machine, log: log)
        let reader = StoreQueue(runtime: machine, log: log) { [path] () throws(StoreFailure) in
            try SQLiteStore(path, for: .looking)
        }
        let watch = BestWatch(
            reader: reader, book: AthleteBook(in: calendar), room: room, runtime: machine,
            further: {
                [isSuggesting, isTraining, calendar] athlete, pieces, store, now
                throws(StoreFailure) in
                var changes = NoticeChanges()
                if isSuggesting {
                    changes.merge(
                        try SuggestionNotices.changes(
                            of: athlete, pieces, in: store, at: now, calendar: calendar))
                }
                if isTraining {
                    changes.merge(
                        try TrainingNotices.changes(
                            of: athlete, pieces, in: store, at: now, calendar: calendar))
                }
                return changes
            },
            take: { [weak keeper] in keeper?.take($0) })
        var outlets = NoticeOutlets()
        outlets.publish = { [weak self] in self?.publish($0, $1) }
        outlets.tell = { [room] in room.tell($0) }
        outlets.settled = { watch.settled($0) }
        outlets.look = { watch.look() }
        keeper.start(notices: outlets, publish: { _ in })
        room.subscribed()
        (self.keeper, self.reader, self.watch) = (keeper, reader, watch)
    }

    func stop() async {
        reader?.stop()
        keeper?.stop()
        await machine.sleep(for: .seconds(1))
        (keeper, reader, watch) = (nil, nil, nil)
    }

    func connect() { keeper?.connected() }
    func disconnect() { keeper?.disconnected() }

    private func publish(_ notice: KeptNotice, _ epoch: String) {
        let payload = NoticePayload.published(
            notice.members, of: notice.kind, logbook: topics.logbook, epoch: epoch,
            sequence: notice.sequence, at: notice.madeAt)
        if isRefusing { return keeper?.refused(notice: notice.sequence) ?? () }
        published.append((topics.topic(of: notice.kind), payload))
        if isAnswering { keeper?.acknowledged(notice: notice.sequence) }
    }

    /// Somebody rows 500 m, or more, in so many seconds, each time at another erg, and as long ago as that.
    @discardableResult func row(
        _ number: Int, in seconds: Double, by athlete: String = "anna", ago: Duration = .zero,
        metres: Int = 500
    ) async throws -> [Traffic.Message] {
        let begin = machine.unixMilliseconds() - ago.wholeMilliseconds - Int64(seconds * 1000)
        let erg = try #require(StationID("erg-\(number)"))
        let messages = traffic.piece(
            Self.id(number), at: begin, metres, by: athlete, seconds: seconds, of: erg)
        await hear(messages)
        return messages
    }

    func hear(_ messages: [Traffic.Message]) async {
        for message in messages {
            keeper?.hear(IncomingMessage(topic: message.topic, payload: message.payload))
        }
        await machine.sleep(for: .seconds(20))
    }

    static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)" }

    /// Another program has the session belong to somebody else.
    func reassign(_ number: Int, to athlete: String) throws {
        let database = try SQLiteDatabase(path, for: .writing)
        try database.execute(
            "UPDATE session SET athlete_id = '\(athlete)' WHERE session_id = '\(Self.id(number))'")
        database.close()
    }

    /// Somebody says something of what is suggested to them, as over HTTP.
    func answer(_ answer: SuggestionAnswer, as athlete: String) async throws {
        let store = try SQLiteStore(path, for: .changing)
        let (desk, now) = (SuggestionDesk(book: AthleteBook(in: calendar)), machine.unixMilliseconds())
        let first = try desk.suggestions(to: athlete, in: store, at: now).open.first
        _ = try desk.take(
            answer, of: first?.id ?? "", to: athlete, by: "coach", in: store, at: now)
        store.close()
        watch?.changed(athlete)
        await machine.sleep(for: .seconds(20))
    }

    /// Five sessions, the last of them three weeks ago, each told later than the one after it.
    func rowLongAgo(by athlete: String) async throws {
        for number in 0..<5 {
            try await row(20 + number, in: 100, by: athlete, ago: .seconds(86_400 * (21 + number)))
        }
    }

    /// Each message's number, event and scope, or which it takes back.
    var told: [String] {
        published.map { message in
            guard let fields = try? JSONObject(parsing: message.payload) else { return "no JSON" }
            let number = fields.number("seq") ?? 0
            if let taken = fields.number("withdraws_seq") { return "\(number) takes back \(taken)" }
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
