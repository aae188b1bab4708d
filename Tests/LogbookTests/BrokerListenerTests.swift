import Contract
import HostRuntime
import Synchronization
import TestSupport
import Testing

@testable import Logbook
@testable import LogbookStores
@testable import MQTTClient

/// What the logbook asks a broker for, by a broker that grants everything.
@Suite struct BrokerListenerTests {
    private final class Connection: BrokerConnection {
        let configuration: BrokerConfiguration
        private let report: @Sendable (MQTTEvent) -> Void
        let filters = Mutex<[(filter: String, options: SubscriptionOptions)]>([])
        /// Who is refused what begins like it; nil where all is granted.
        let forbidden: String?
        let published = Mutex<[String]>([])

        init(
            _ configuration: BrokerConfiguration, forbidding forbidden: String?,
            _ report: @escaping @Sendable (MQTTEvent) -> Void
        ) {
            self.configuration = configuration
            self.forbidden = forbidden
            self.report = report
        }

        func start() { report(.connected(BrokerTerms())) }

        func subscribe(_ filter: String, _ options: SubscriptionOptions) -> Int32 {
            let number = filters.withLock {
                $0.append((filter, options))
                return Int32($0.count)
            }
            let isForbidden = forbidden.map(filter.hasPrefix) ?? false
            report(
                isForbidden
                    ? .subscriptionRefused(message: number, reason: 0x87)
                    : .subscribed(message: number))
            return number
        }

        func deliver(_ message: IncomingMessage) { report(.received(message)) }

        func publish(
            _ payload: [UInt8], to topic: String, qos: Int32, retain: Bool,
            properties: MessageProperties
        ) -> Int32 {
            published.withLock { $0.append(topic) }
            return 1000
        }

        func close() { report(.ended(nil)) }
        func abandon() {}

        var isRemembered: Bool { configuration.sessionExpirySeconds != nil }
    }

    private final class Connections: Sendable {
        let all = Mutex<[Connection]>([])
        var list: [Connection] { all.withLock { $0 } }
        var filters: [String] { list.flatMap { $0.filters.withLock { $0.map(\.filter) } } }
    }

    private let connections = Connections()
    private let folder: TemporaryFolder
    private let log = SystemLog(subsystem: "test", threshold: .critical)

    init() throws { folder = try TemporaryFolder() }

    private func listen(
        keeps: Bool, forbidding forbidden: String? = nil, log: SystemLog? = nil,
        answers: ((LiveRoom, any Runtime) throws -> SuggestionCommands)? = nil
    ) async throws -> [BrokerListener] {
        let log = log ?? self.log
        let runtime = SystemRuntime()
        let room = LiveRoom(runtime: runtime, log: log)
        let keeper =
            keeps
            ? try RecordKeeper(
                SQLiteStore(folder.path("logbook.db"), for: .keeping), runtime: runtime, log: log)
            : nil
        let listeners = BrokerListener.all(
            BrokerConfiguration(host: "b", clientID: "logbook"),
            over: { [connections] configuration, _, report in
                let connection = Connection(configuration, forbidding: forbidden, report)
                connections.all.withLock { $0.append(connection) }
                return connection
            }, room: room, commands: CommandRoom(room: room, runtime: runtime, log: log),
            keeper: keeper, answers: try answers?(room, runtime), runtime: runtime, log: log)
        for listener in listeners { await listener.start() }
        return listeners
    }

    /// Goal: no node of a cluster keeps us from the others when it dies, and the broker's queue has room
    /// for records. Method: of the sessions that the broker is to remember, what they subscribe to.
    @Test func aRememberedSessionHasRecordsAlone() async throws {
        let listeners = try await listen(keeps: true)
        let expected =
            TopicMap.durableFilters + TopicMap.replyFilters + TopicMap.otherFilters
        #expect(await eventually { connections.filters.count == expected.count })
        #expect(connections.filters.sorted() == expected.sorted())
        #expect(
            Set(connections.list.map(\.configuration.clientID)) == ["logbook", "logbook-records"])
        let remembered = connections.list.filter(\.isRemembered)
        #expect(remembered.map(\.configuration.clientID) == ["logbook-records"])
        for (filter, options) in remembered.flatMap({ $0.filters.withLock { $0 } }) {
            #expect(!options.contains(.atMostOnce), "\(filter)")
            #expect(!TopicMap.otherFilters.contains(filter), "\(filter)")
        }
        // Who asks is who hears the answer.
        await listeners[0].send(
            ReplayDesk.Request(topic: "rowgate/v1/b/cmd/replay", payload: []))
        #expect(remembered.map { $0.published.withLock { $0 } } == [["rowgate/v1/b/cmd/replay"]])
        for listener in listeners { await listener.stop() }
    }

    /// Goal: a notice goes to the logbook's own topic, where the answer is heard. Method: one is
    /// published, by a broker that answers nothing yet.
    @Test func aNoticeGoesToTheLogbooksOwnTopic() async throws {
        let listeners = try await listen(keeps: true)
        #expect(await eventually { connections.filters.contains("rowgate/v1/+/event") })
        let notice = KeptNotice(
            sequence: 7, kind: .best, subject: "a", madeAt: 0, members: Array(#"{"gw":"b"}"#.utf8))
        let topics = LogbookTopicMap(logbook: try #require(LogbookID("club")))
        await listeners[0].publish(notice, as: topics, epoch: "01J0EP0CH000000000000000AA")
        let sent = connections.list.flatMap { $0.published.withLock { $0 } }
        #expect(sent == ["rowgate-logbook/v1/club/best"])
        for listener in listeners { await listener.stop() }
    }

    private static let topics = LogbookTopicMap(logbook: LogbookID(valid: "club"))

    private func answers(
        _ room: LiveRoom, _ runtime: any Runtime
    ) throws -> SuggestionCommands {
        let path = folder.path("logbook.db")
        let writer = StoreQueue(runtime: runtime, log: log) { () throws(StoreFailure) in
            try SQLiteStore(path, for: .changing)
        }
        return SuggestionCommands(
            Self.topics, room: room, writer: writer, desk: SuggestionDesk(book: AthleteBook(in: .utc)),
            log: log)
    }

    /// Goal: what is said of suggestions is heard while we are there, and not kept by the broker for days;
    /// the reply goes to its topic. Method: what each client subscribes to, and a request that is wrong.
    @Test func whatIsSaidOfSuggestionsIsHeardByTheForgettingClient() async throws {
        var commands: SuggestionCommands?
        let listeners = try await listen(keeps: true) { room, runtime in
            let made = try answers(room, runtime)
            commands = made
            return made
        }
        commands?.begin(listeners[1].send(reply:))
        let topic = Self.topics.suggestionCommands
        #expect(await eventually { connections.filters.count { $0 == topic } == 1 })
        let forgetting = try #require(connections.list.first { !$0.isRemembered })
        let option = forgetting.filters.withLock { $0.first { $0.filter == topic }?.options }
        #expect(option?.contains(.atMostOnce) == false)
        forgetting.deliver(IncomingMessage(topic: topic, payload: Array("x".utf8)))
        #expect(
            await eventually {
                forgetting.published.withLock { $0 } == [Self.topics.suggestionReplies]
            })
        for listener in listeners { await listener.stop() }
    }

    /// Goal: a broker that forbids it costs nothing else, and the administrator is told once what to allow.
    /// Method: it refuses that subscription.
    @Test func aBrokerMayForbidThatAlone() async throws {
        let lines = Lines()
        let log = SystemLog(
            subsystem: "test", destination: .reader { _, line, _ in lines.add(line) })
        let listeners = try await listen(
            keeps: true, forbidding: "rowgate-logbook/", log: log, answers: answers)
        #expect(await eventually { lines.list.count { $0.contains("listening to") } == 2 })
        let refusals = lines.list.filter { $0.contains("access list") }
        #expect(refusals.count == 1)
        #expect(refusals.first?.contains("read \(Self.topics.suggestionCommands)") == true)
        for listener in listeners { await listener.stop() }
    }

    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ line: String) { all.withLock { $0.append(line) } }
        var list: [String] { all.withLock { $0 } }
    }

    /// Goal: who keeps nothing needs one connection, which is forgotten. Method: without a store.
    @Test func withoutAStoreThereIsOne() async throws {
        let listeners = try await listen(keeps: false)
        #expect(await eventually { connections.filters == [TopicMap.filter(of: nil)] })
        #expect(connections.list.map(\.isRemembered) == [false])
        for listener in listeners { await listener.stop() }
    }
}
