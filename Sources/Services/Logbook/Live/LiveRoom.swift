import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import Synchronization
import Timeline
import WebServer

/// The live state of the room: applies messages to the board and streams its changes to readers.
///
/// The broker connection's thread applies messages, and the web server's thread serves the readers. A lock
/// protects the shared state.
final class LiveRoom: Sendable {
    /// The minimum interval between two events of one erg to one reader.
    static let tickInterval = Duration.milliseconds(250)
    /// The interval between two keep-alive events. A page reconnects after 5 s of silence.
    static let beatInterval = Duration.milliseconds(1500)
    static let beatTicks = UInt64(beatInterval / tickInterval)
    /// The maximum number of concurrent readers.
    static let maximumReaders = 500

    private struct State {
        var board: LiveBoard
        var tick: UInt64 = 0
        var refused: [LiveBoard.Refusal: UInt64] = [:]
        var readers: [UInt64: StreamWaker] = [:]
        var nextReader: UInt64 = 0
        /// The last bundle of this tick, by the requested gateway and erg.
        var latest: [LiveBoard.Scope: Bundle] = [:]
    }

    /// The bytes of one update, shared by all readers of the same part of the board with the same version.
    private struct Bundle {
        let seen: UInt64
        let version: UInt64
        let bytes: [UInt8]
    }

    /// The first levels of the topics of all gateways in the room.
    let topicPrefix: TopicPrefix
    private let state: Mutex<State>
    private let runtime: any Runtime
    private let log: SystemLog
    private let executor: SerialQueueExecutor
    // Made by `start` and ended by `stop`, both on the executor.
    private nonisolated(unsafe) var timer: QueueTimer?

    init(
        below topicPrefix: TopicPrefix = .standard, limits: LiveBoard.Limits = .init(),
        runtime: any Runtime, log: SystemLog
    ) {
        self.topicPrefix = topicPrefix
        self.runtime = runtime
        self.log = log
        executor = runtime.makeQueue(label: "logbook.live")
        state = Mutex(State(board: LiveBoard(limits: limits, at: runtime.now())))
    }

    /// Starts to stream changes to the readers, until `stop`.
    func start() {
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.advance() }
            timer?.fire(every: Self.tickInterval)
        }
    }

    func stop() { executor.async { [self] in timer?.cancel() } }

    // MARK: From the broker

    func handle(_ message: ReceivedMessage) {
        let (now, clock) = (runtime.now(), runtime.wall())
        let firstRefusal = state.withLock { state -> LiveBoard.Refusal? in
            let outcome = state.board.apply(message, at: now, clock: clock)
            guard case .refused(let refusal) = outcome else { return nil }
            state.refused[refusal, default: 0] += 1
            return state.refused[refusal] == 1 ? refusal : nil
        }
        guard let firstRefusal else { return }
        log.warning(
            "a message on \(message.topicName) is not shown: \(firstRefusal.rawValue); "
                + "further ones are only counted")
    }

    func subscribed() {
        let now = runtime.now()
        state.withLock { $0.board.subscribed(at: now) }
    }

    func lostBroker() {
        let now = runtime.now()
        state.withLock { $0.board.lostBroker(at: now) }
    }

    func removeUnconfirmed() { state.withLock { $0.board.removeUnconfirmed() } }

    /// The number of refused messages by reason.
    var refused: [LiveBoard.Refusal: UInt64] { state.withLock { $0.refused } }

    // MARK: From the logbook itself

    /// The maximum age of a piece whose best is shown, in milliseconds.
    static let bestMaximumAge: Int64 = 10 * 60_000

    /// Shows a recent personal best, without the athlete.
    func showBest(_ notice: StoredNotice) {
        guard notice.kind == .best, let best = try? JSONObject(parsing: notice.members),
            let ended = best.number("ended_ms"),
            notice.madeAt - Int64(ended) < Self.bestMaximumAge
        else { return }
        let payload = JSONWriter.object { json in
            for name: StaticString in [
                "gw", "erg", "session_id", "machine", "event", "result", "scope",
            ] { json.field(name, best.text("\(name)")) }
            for name: StaticString in ["event_distance_m", "event_time_s", "season"] {
                json.field(name, best.number("\(name)"))
            }
            for (name, places): (StaticString, Int) in [
                ("time_s", 2), ("distance_m", 1), ("before_time_s", 2), ("before_distance_m", 1),
            ] {
                let scale = places == 2 ? 100.0 : 10
                let units = best.decimal("\(name)").map { Int64(($0 * scale).rounded()) }
                json.field(name, units, places: places)
            }
        }
        let now = runtime.now()
        let gateway = best.text("gw").flatMap(GatewayID.init)
        state.withLock { $0.board.add(best: payload, of: gateway, at: now) }
    }

    // MARK: To the readers

    /// Whether the broker connection is up.
    var isBrokerConnected: Bool { broker.isConnected }

    /// The state of the connection to the broker.
    var broker: LiveBoard.Broker { state.withLock { $0.board.broker } }

    /// Whether a message of the place has been received.
    func contains(_ place: LiveBoard.Place) -> Bool { state.withLock { $0.board.places[place] != nil } }

    /// Returns the messages of those `places` that changed after version `seen`, and the board's version.
    func messages(
        of places: [LiveBoard.Place], since seen: UInt64
    ) -> (
        messages: [LiveBoard.Place: [LiveBoard.Kind: LiveBoard.Message]], version: UInt64
    ) {
        state.withLock { state in
            let changed = places.compactMap { place in state.board.places[place].map { (place, $0) } }
                .filter { $0.1.changed > seen }
            return (
                Dictionary(changed.map { ($0.0, $0.1.messages) }) { $1 }, state.board.version
            )
        }
    }

    /// Whether the availability of a gateway is `offline`.
    func isOffline(_ gateway: GatewayID) -> Bool {
        let place = LiveBoard.Place(gateway: gateway, erg: nil)
        let offline = Array(#""offline""#.utf8)
        return state.withLock { state in
            state.board.places[place]?.messages[.availability]?.payload == offline
        }
    }

    /// The messages of each gateway and its ergs.
    var gateways: [GatewayID: LiveGateway] {
        let places = state.withLock { $0.board.places }
        return places.reduce(into: [:]) { gateways, place in
            gateways[place.key.gateway, default: LiveGateway()].add(place.value, of: place.key)
        }
    }

    /// The status messages of all gateways, for the store.
    var statusMessages: [GatewayStatusMessage] {
        let clock = runtime.wall()
        return gateways.flatMap { $1.statusMessages(of: $0, clock) }
    }

    /// The current instant and the wall clock.
    var currentTime: (now: BootInstant, clock: WallClock) { (runtime.now(), runtime.wall()) }

    /// The athletes who are assigned now, by erg.
    var assignments: [LiveBoard.Place: String] {
        let places = state.withLock { $0.board.places }
        return places.reduce(into: [:]) { assignments, place in
            guard place.key.kind == .erg, let state = place.value.messages[.state]?.payload else { return }
            assignments[place.key] = StoredRecord.text(of: "athlete_id", in: state)
        }
    }

    /// Returns the machine kind that the monitor at a station reports; nil if unknown.
    func machine(at gateway: GatewayID, _ station: StationID) -> MachineKind? {
        let place = LiveBoard.Place(gateway: gateway, erg: station)
        guard let info = state.withLock({ $0.board.places[place]?.messages[.info]?.payload }),
            let fields = try? JSONObject(parsing: info)
        else { return nil }
        return fields.text("machine_type").flatMap(MachineKind.init(machineType:))
    }

    /// The gateways that take their athletes from a logbook, without those that are offline.
    var gatewaysWithRosterOfLogbook: [GatewayID: RosterReport] {
        guard isBrokerConnected else { return [:] }
        let reports = state.withLock { state in
            state.board.places.compactMap { place, content in
                content.messages[.roster].map { (place.gateway, $0.payload) }
            }
        }
        return reports.reduce(into: [:]) { result, entry in
            guard let fields = try? JSONObject(parsing: entry.1),
                let report = RosterReport(parsing: fields), report.source == .logbook,
                !isOffline(entry.0)
            else { return }
            result[entry.0] = report
        }
    }

    /// Returns the named workouts that any of these gateways has published.
    func workouts(at gateways: Set<GatewayID>) -> [NamedWorkout] {
        let lists = state.withLock { state in
            gateways.sorted().compactMap { gateway in
                let place = LiveBoard.Place(gateway: gateway, erg: nil)
                return state.board.places[place]?.messages[.workouts]?.payload
            }
        }
        return lists.flatMap { list -> [NamedWorkout] in
            guard let fields = try? JSONObject(parsing: list),
                case .object(let named)? = fields["workouts"]
            else { return [] }
            return named.members.compactMap { member in
                guard case .text(let row) = member.value else { return nil }
                return try? NamedWorkout(member.name, row: row)
            }
        }
    }

    /// Whether another reader can be added.
    var hasCapacity: Bool { state.withLock { $0.readers.count < Self.maximumReaders } }

    /// Opens a stream for a new reader.
    ///
    /// - Parameters:
    ///   - scope: What to send.
    ///   - sources: Sources of further events.
    ///   - mayRead: Checked before each update. The stream ends when it returns false.
    func open(
        _ waker: StreamWaker, of scope: LiveBoard.Scope = LiveBoard.Scope(),
        with sources: [any LiveEventSource] = [],
        while mayRead: @escaping @Sendable () -> Bool = { true }
    ) -> any WebStream {
        state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = waker
            return Reader(self, state.nextReader, scope, sources, mayRead)
        }
    }

    /// Advances by one tick and wakes the waiting readers.
    func advance() {
        let wakers = state.withLock { state in
            state.tick += 1
            state.latest = [:]
            return Array(state.readers.values)
        }
        for waker in wakers { waker.wake() }
    }

    /// Returns the next update for a reader and advances its cursor.
    private func next(for cursor: inout Cursor, of scope: LiveBoard.Scope) -> [UInt8] {
        let (now, clock) = (runtime.now(), runtime.wall())
        return state.withLock { state in
            guard let seen = cursor.advance(to: state.tick) else { return [] }
            cursor.seen = state.board.version
            if let latest = state.latest[scope], latest.seen == seen,
                latest.version == state.board.version
            {
                return latest.bytes
            }
            let bytes = state.board.events(
                since: seen, of: scope, hasBeat: state.tick % Self.beatTicks == 0, at: now,
                clock: clock, version: Release.version)
            state.latest[scope] = Bundle(seen: seen, version: state.board.version, bytes: bytes)
            return bytes
        }
    }

    private func remove(_ reader: UInt64) { state.withLock { $0.readers[reader] = nil } }

    /// The stream of one reader, on the web server's thread.
    private final class Reader: WebStream, @unchecked Sendable {  // used on one thread
        private let room: LiveRoom
        private let number: UInt64
        /// The requested part of the board.
        private let scope: LiveBoard.Scope
        /// The sources with the version that the reader has of each.
        private var sources: [(source: any LiveEventSource, seen: UInt64)]
        private let mayRead: @Sendable () -> Bool
        private var cursor = Cursor()

        init(
            _ room: LiveRoom, _ number: UInt64, _ scope: LiveBoard.Scope,
            _ sources: [any LiveEventSource], _ mayRead: @escaping @Sendable () -> Bool
        ) {
            (self.room, self.number, self.scope) = (room, number, scope)
            self.sources = sources.map { ($0, 0) }
            self.mayRead = mayRead
        }

        func next() -> [UInt8]? {
            guard mayRead() else { return nil }
            let isFirst = cursor.seen == 0
            var bytes = room.next(for: &cursor, of: scope)
            for index in sources.indices {
                bytes += sources[index].source.events(since: &sources[index].seen)
            }
            return isFirst ? Array("retry: 1000\n\n".utf8) + bytes : bytes
        }

        func end() { room.remove(number) }
    }
}

/// The position of one reader. A slow reader skips intermediate states and gets the newest one.
struct Cursor: Sendable {
    /// The board's version at the reader's last update; 0 before the first one.
    fileprivate(set) var seen: UInt64 = 0
    private var tick: UInt64?

    /// Returns the version that the reader has; nil if it already got an update in this tick.
    mutating func advance(to tick: UInt64) -> UInt64? {
        guard self.tick != tick else { return nil }
        self.tick = tick
        return seen
    }
}

/// A source of further events in the live stream, besides the board.
protocol LiveEventSource: AnyObject, Sendable {
    /// Returns the events after version `seen` and sets `seen` to the newest version. A new reader passes 0.
    func events(since seen: inout UInt64) -> [UInt8]
}
