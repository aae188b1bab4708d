import Contract
import HostRuntime
import Synchronization
import TestSupport
import Testing

@testable import Logbook
@testable import LogbookStores
@testable import MQTTClient

/// The subscriptions and messages of the listeners, with a simulated broker.
@Suite struct BrokerListenerTests {
    private final class Connection: BrokerConnection {
        let configuration: BrokerConfiguration
        private let report: @Sendable (MQTTEvent) -> Void
        let filters = Mutex<[(filter: String, options: SubscriptionOptions)]>([])
        /// The broker refuses subscriptions with this prefix; nil to grant all.
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

        func start() { report(.connected(BrokerLimits())) }

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

        var isPersistent: Bool { configuration.sessionExpirySeconds != nil }
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
        hasStore: Bool, forbidding forbidden: String? = nil, log: SystemLog? = nil,
        suggestionCommands: ((LiveRoom, any Runtime) throws -> SuggestionCommandHandler)? = nil
    ) async throws -> [BrokerListener] {
        let log = log ?? self.log
        let runtime = SystemRuntime()
        let room = LiveRoom(runtime: runtime, log: log)
        let ingester =
            hasStore
            ? try RecordIngester(
                SQLiteStore(folder.path("logbook.db"), for: .recording), runtime: runtime, log: log)
            : nil
        let listeners = BrokerListener.all(
            BrokerConfiguration(host: "b", clientID: "logbook"),
            over: { [connections] configuration, _, report in
                let connection = Connection(configuration, forbidding: forbidden, report)
                connections.all.withLock { $0.append(connection) }
                return connection
            },
            handlers: MessageRouter(
                room: room, commands: CommandService(room: room, runtime: runtime, log: log),
                ingester: ingester, suggestionCommands: try suggestionCommands?(room, runtime)),
            runtime: runtime, log: log)
        for listener in listeners { await listener.start() }
        return listeners
    }

    // A persistent session with QoS 0 subscriptions would be bound to one node of a cluster.
    @Test func persistentSessionSubscribesOnlyToRecordsAndReplies() async throws {
        let listeners = try await listen(hasStore: true)
        let expected =
            TopicPrefix.standard.durableFilters + TopicPrefix.standard.replyFilters
            + TopicPrefix.standard.otherFilters
        #expect(await eventually { connections.filters.count == expected.count })
        #expect(connections.filters.sorted() == expected.sorted())
        #expect(
            Set(connections.list.map(\.configuration.clientID)) == ["logbook", "logbook-records"])
        let persistent = connections.list.filter(\.isPersistent)
        #expect(persistent.map(\.configuration.clientID) == ["logbook-records"])
        for (filter, options) in persistent.flatMap({ $0.filters.withLock { $0 } }) {
            #expect(!options.contains(.atMostOnce), "\(filter)")
            #expect(!TopicPrefix.standard.otherFilters.contains(filter), "\(filter)")
        }
        // The listener that sends a request also receives its answer.
        await listeners[0].send(
            OutgoingCommand(topic: "rowgate/v1/b/cmd/replay", payload: []))
        #expect(persistent.map { $0.published.withLock { $0 } } == [["rowgate/v1/b/cmd/replay"]])
        for listener in listeners { await listener.stop() }
    }

    @Test func publishesNoticesBelowTheLogbooksTopic() async throws {
        let listeners = try await listen(hasStore: true)
        #expect(await eventually { connections.filters.contains("rowgate/v1/+/event") })
        let notice = StoredNotice(
            sequence: 7, kind: .best, subject: "a", madeAt: 0, members: Array(#"{"gw":"b"}"#.utf8))
        let topics = LogbookTopicMap(logbook: try #require(LogbookID("club")), below: .standard)
        await listeners[0].publish(notice, as: topics, epoch: "01J0EP0CH000000000000000AA")
        let sent = connections.list.flatMap { $0.published.withLock { $0 } }
        #expect(sent == ["rowgate-logbook/v1/club/best"])
        for listener in listeners { await listener.stop() }
    }

    private static let topics = LogbookTopicMap(logbook: LogbookID(valid: "club"), below: .standard)

    private func suggestionCommands(
        _ room: LiveRoom, _ runtime: any Runtime
    ) throws -> SuggestionCommandHandler {
        let path = folder.path("logbook.db")
        let writer = StoreQueue(runtime: runtime, log: log) { () throws(StoreFailure) in
            try SQLiteStore(path, for: .editing)
        }
        return SuggestionCommandHandler(
            Self.topics, room: room, writer: writer,
            suggestionService: SuggestionService(history: AthleteHistory(in: .utc)), log: log)
    }

    @Test func transientSessionReceivesAndAnswersSuggestionCommands() async throws {
        var commands: SuggestionCommandHandler?
        let listeners = try await listen(hasStore: true) { room, runtime in
            let made = try suggestionCommands(room, runtime)
            commands = made
            return made
        }
        commands?.start(listeners[1].send(reply:))
        let topic = Self.topics.suggestionCommands
        #expect(await eventually { connections.filters.count { $0 == topic } == 1 })
        let transient = try #require(connections.list.first { !$0.isPersistent })
        let option = transient.filters.withLock { $0.first { $0.filter == topic }?.options }
        #expect(option?.contains(.atMostOnce) == false)
        transient.deliver(IncomingMessage(topic: topic, payload: Array("x".utf8)))
        #expect(
            await eventually {
                transient.published.withLock { $0 } == [Self.topics.suggestionReplies]
            })
        for listener in listeners { await listener.stop() }
    }

    @Test func worksWithoutRefusedSubscriptionToSuggestionCommands() async throws {
        let lines = Lines()
        let log = SystemLog(
            subsystem: "test", destination: .reader { _, line, _ in lines.add(line) })
        let listeners = try await listen(
            hasStore: true, forbidding: "rowgate-logbook/", log: log,
            suggestionCommands: suggestionCommands)
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

    @Test func usesOneTransientSessionWithoutAStore() async throws {
        let listeners = try await listen(hasStore: false)
        #expect(await eventually { connections.filters == [TopicPrefix.standard.filter(of: nil)] })
        #expect(connections.list.map(\.isPersistent) == [false])
        for listener in listeners { await listener.stop() }
    }
}
