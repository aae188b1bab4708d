import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import MQTTClient
import Synchronization
import Timeline
import WebServer

/// The board, those who read it, and the pace at which they are told of changes.
///
/// Messages are taken on the broker connection's thread, which waits meanwhile, and readers are
/// served on the web server's; a lock stands between them.
final class LiveRoom: Sendable {
    /// Between two events of one erg to one reader.
    static let pace = Duration.milliseconds(250)
    /// Between two signs of life: a page takes 5 s of silence for the end.
    static let beat = Duration.milliseconds(1500)
    static let beatTicks = UInt64(beat / pace)
    /// Readers at a time.
    static let maximumReaders = 250

    private struct State {
        var board: LiveBoard
        var tick: UInt64 = 0
        var refused: [LiveBoard.Refusal: UInt64] = [:]
        var readers: [UInt64: StreamWaker] = [:]
        var nextReader: UInt64 = 0
        /// Of this tick, by the gateway that was asked for.
        var latest: [GatewayID?: Bundle] = [:]
    }

    /// What one reader is told, which all that ask for the same and have seen the same are told in the same
    /// words.
    private struct Bundle {
        let seen: UInt64
        let version: UInt64
        let bytes: [UInt8]
    }

    private let state: Mutex<State>
    private let runtime: any Runtime
    private let log: SystemLog
    private let executor: SerialQueueExecutor
    // Made by `start` and ended by `stop`, both on the executor.
    private nonisolated(unsafe) var timer: QueueTimer?

    init(limits: LiveBoard.Limits = .init(), runtime: any Runtime, log: SystemLog) {
        self.runtime = runtime
        self.log = log
        executor = runtime.makeQueue(label: "logbook.live")
        state = Mutex(State(board: LiveBoard(limits: limits, at: runtime.now())))
    }

    /// Begins to tell readers of changes, until `stop`.
    func start() {
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.advance() }
            timer?.fire(every: Self.pace)
        }
    }

    func stop() { executor.async { [self] in timer?.cancel() } }

    // MARK: From the broker

    func hear(_ message: IncomingMessage) {
        let (now, clock) = (runtime.now(), runtime.wall())
        let firstRefusal = state.withLock { state -> LiveBoard.Refusal? in
            let outcome = state.board.take(
                message.payload, topic: message.topic, isRetained: message.isRetained, at: now,
                clock: clock)
            guard case .refused(let refusal) = outcome else { return nil }
            state.refused[refusal, default: 0] += 1
            return state.refused[refusal] == 1 ? refusal : nil
        }
        guard let firstRefusal else { return }
        log.warning(
            "a message on \(message.topic) is not shown: \(firstRefusal.rawValue); "
                + "others like it are only counted")
    }

    func subscribed() {
        let now = runtime.now()
        state.withLock { $0.board.subscribed(at: now) }
    }

    func lostBroker() {
        let now = runtime.now()
        state.withLock { $0.board.lostBroker(at: now) }
    }

    func forgetUnconfirmed() { state.withLock { $0.board.forgetUnconfirmed() } }

    /// Messages that were not taken, by their reasons.
    var refused: [LiveBoard.Refusal: UInt64] { state.withLock { $0.refused } }

    // MARK: From the logbook itself

    /// A piece that ended longer ago is over for the room: milliseconds.
    static let momentMilliseconds: Int64 = 10 * 60_000

    /// Shows a best that was rowed a moment ago. What a wall is told has no athlete in it.
    func tell(_ notice: KeptNotice) {
        guard notice.kind == .best, let best = try? JSONObject(parsing: notice.members),
            let ended = best.number("ended_ms"),
            notice.madeAt - Int64(ended) < Self.momentMilliseconds
        else { return }
        let payload = JSONWriter.object { json in
            for name: StaticString in [
                "gw", "erg", "session_id", "machine", "event", "result", "scope",
            ] { json.field(name, best.text("\(name)")) }
            for name: StaticString in ["event_distance_m", "event_time_s", "season"] {
                json.field(name, best.number("\(name)"))
            }
            for (name, places): (StaticString, Int) in [("time_s", 2), ("distance_m", 1)] {
                let scale = places == 2 ? 100.0 : 10
                let units = best.decimal("\(name)").map { Int64(($0 * scale).rounded()) }
                json.field(name, units, places: places)
            }
        }
        let now = runtime.now()
        let gateway = best.text("gw").flatMap(GatewayID.init)
        state.withLock { $0.board.take(best: payload, of: gateway, at: now) }
    }

    // MARK: To the readers

    /// Whether it is known what happens at the broker.
    var hearsBroker: Bool { broker.isConnected }

    /// How the connection to the broker is.
    var broker: LiveBoard.Broker { state.withLock { $0.board.broker } }

    /// Whether an erg has been heard of.
    func knows(_ place: LiveBoard.Place) -> Bool { state.withLock { $0.board.kept[place] != nil } }

    /// The messages of those of `places` of which there is something new, and the board's number.
    func messages(
        of places: [LiveBoard.Place], since seen: UInt64
    ) -> (
        messages: [LiveBoard.Place: [LiveBoard.Kind: LiveBoard.Message]], version: UInt64
    ) {
        state.withLock { state in
            let news = places.compactMap { place in state.board.kept[place].map { (place, $0) } }
                .filter { $0.1.changed > seen }
            return (
                Dictionary(news.map { ($0.0, $0.1.messages) }) { $1 }, state.board.version
            )
        }
    }

    /// Whether a gateway is known not to be there.
    func isAway(_ gateway: GatewayID) -> Bool {
        let place = LiveBoard.Place(gateway: gateway, erg: nil)
        let offline = Array(#""offline""#.utf8)
        return state.withLock { state in
            state.board.kept[place]?.messages[.availability]?.payload == offline
        }
    }

    /// What the board has of each gateway and its ergs.
    var gateways: [GatewayID: HeardGateway] {
        let kept = state.withLock { $0.board.kept }
        return kept.reduce(into: [:]) { found, kept in
            found[kept.key.gateway, default: HeardGateway()].take(kept.value, of: kept.key)
        }
    }

    /// What gateways said of themselves, to be kept.
    var words: [GatewayWord] {
        let clock = runtime.wall()
        return gateways.flatMap { $1.words(of: $0, clock) }
    }

    /// Now, and which time of day that is.
    var present: (now: BootInstant, clock: WallClock) { (runtime.now(), runtime.wall()) }

    /// What the monitor at a place is mounted on now; nil where none has reported it.
    func machine(at gateway: GatewayID, _ station: StationID) -> MachineKind? {
        let place = LiveBoard.Place(gateway: gateway, erg: station)
        guard let info = state.withLock({ $0.board.kept[place]?.messages[.info]?.payload }),
            let fields = try? JSONObject(parsing: info)
        else { return nil }
        return fields.text("machine_type").flatMap(MachineKind.init(machineType:))
    }

    /// What can be asked for by name at any of these gateways, as they published it; which of them has
    /// it each of them knows best.
    func workouts(at gateways: Set<GatewayID>) -> [NamedWorkout] {
        let lists = state.withLock { state in
            gateways.sorted().compactMap { gateway in
                let place = LiveBoard.Place(gateway: gateway, erg: nil)
                return state.board.kept[place]?.messages[.workouts]?.payload
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

    /// Whether one more may read.
    var hasSeat: Bool { state.withLock { $0.readers.count < Self.maximumReaders } }

    /// - Parameters:
    ///   - sources: what the reader is told of beside the board.
    ///   - mayRead: asked before anything is told; the stream ends when it says no.
    func open(
        _ waker: StreamWaker, of gateway: GatewayID? = nil, with sources: [any LiveSource] = [],
        while mayRead: @escaping @Sendable () -> Bool = { true }
    ) -> any WebStream {
        state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = waker
            return Reader(self, state.nextReader, gateway, sources, mayRead)
        }
    }

    /// One tick: readers that wait look whether there is something for them.
    func advance() {
        let wakers = state.withLock { state in
            state.tick += 1
            state.latest = [:]
            return Array(state.readers.values)
        }
        for waker in wakers { waker.wake() }
    }

    /// What a reader is told next, and what it has seen then.
    private func next(for cursor: inout Cursor, of gateway: GatewayID?) -> [UInt8] {
        let (now, clock) = (runtime.now(), runtime.wall())
        return state.withLock { state in
            guard let seen = cursor.advance(to: state.tick) else { return [] }
            cursor.seen = state.board.version
            if let latest = state.latest[gateway], latest.seen == seen,
                latest.version == state.board.version
            {
                return latest.bytes
            }
            let bytes = state.board.events(
                since: seen, of: gateway, hasBeat: state.tick % Self.beatTicks == 0, at: now,
                clock: clock, version: Release.version)
            state.latest[gateway] = Bundle(seen: seen, version: state.board.version, bytes: bytes)
            return bytes
        }
    }

    private func leave(_ reader: UInt64) { state.withLock { $0.readers[reader] = nil } }

    /// One stream; of the web server's thread.
    private final class Reader: WebStream, @unchecked Sendable {  // used on one thread
        private let room: LiveRoom
        private let number: UInt64
        /// What was asked for; nil for all of them.
        private let gateway: GatewayID?
        /// Each with what was told of it.
        private var sources: [(source: any LiveSource, seen: UInt64)]
        private let mayRead: @Sendable () -> Bool
        private var cursor = Cursor()

        init(
            _ room: LiveRoom, _ number: UInt64, _ gateway: GatewayID?,
            _ sources: [any LiveSource], _ mayRead: @escaping @Sendable () -> Bool
        ) {
            (self.room, self.number, self.gateway) = (room, number, gateway)
            self.sources = sources.map { ($0, 0) }
            self.mayRead = mayRead
        }

        func next() -> [UInt8]? {
            guard mayRead() else { return nil }
            let isFirst = cursor.seen == 0
            var bytes = room.next(for: &cursor, of: gateway)
            for index in sources.indices {
                bytes += sources[index].source.events(since: &sources[index].seen)
            }
            return isFirst ? Array("retry: 1000\n\n".utf8) + bytes : bytes
        }

        func end() { room.leave(number) }
    }
}

/// How far one reader is. One that is slow asks seldom, and gets the newest of all that it missed.
struct Cursor: Sendable {
    /// The board's number when it last looked; 0 before it has.
    fileprivate(set) var seen: UInt64 = 0
    private var tick: UInt64?

    /// What it had seen if it may be told something now: once in a tick.
    mutating func advance(to tick: UInt64) -> UInt64? {
        guard self.tick != tick else { return nil }
        self.tick = tick
        return seen
    }
}
