import BlueZLink
import HostRuntime
import PM5Simulator
import Rowing
import Synchronization
import Timeline

/// Those who row, in all rooms: whether they are there.
final class FleetRowers: Sendable {
    private let areGone = Atomic(false)

    var haveLeft: Bool { areGone.load(ordering: .relaxed) }

    /// Ends all pieces before their end.
    func leave() { areGone.store(true, ordering: .relaxed) }
}

/// The repeated pieces of a room.
struct FleetRowing: Sendable {
    var script: WorkoutScript
    /// Between two pieces on one erg.
    var pauseSeconds: Int
}

/// A gateway's room without a radio: its monitors are linked from the beginning to the end.
///
/// All monitors are polled at the same interval: a timer for each value would cost
/// more than the value.
final class FleetRoom: RoomPort, @unchecked Sendable {  // of its queue alone
    let executor: SerialQueueExecutor
    private let ergs: [FleetErg]
    private let rowers: FleetRowers
    private let pace: Duration
    private let runtime: any Runtime
    private var timer: QueueTimer?

    init(
        _ roster: Roster, _ rowers: FleetRowers, _ rowing: FleetRowing, seed: UInt64,
        pace: Duration,
        on runtime: any Runtime
    ) {
        guard case .listed(let stations) = roster else {
            preconditionFailure("a gateway of a fleet names its ergs")
        }
        let queue = runtime.makeQueue(label: "rowgate.bus")
        ergs = stations.sorted { $0.key < $1.key }.enumerated().map { number, place in
            FleetErg(
                serial: place.key, at: place.value, on: queue, rowing: rowing,
                seed: seed &+ UInt64(number))
        }
        executor = queue
        self.rowers = rowers
        self.pace = pace
        self.runtime = runtime
    }

    func start() async {
        await onQueue { [self] in
            let now = runtime.now()
            for erg in ergs { erg.open(at: now) }
            timer = QueueTimer(on: executor) { [self] in advance() }
            timer?.fire(every: pace)
        }
    }

    func stop() async {
        await onQueue { [self] in
            timer?.cancel()
            timer = nil
            for erg in ergs { erg.close(at: runtime.now()) }
        }
    }

    private func advance() {
        let now = runtime.now()
        for erg in ergs {
            if rowers.haveLeft { erg.leave() }
            erg.advance(to: now)
        }
    }

    private func onQueue(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            executor.async {
                work()
                done.resume()
            }
        }
    }

    /// Releases are not supported.
    func release(_ serial: String, for duration: Duration?) async -> Bool { false }

    func reclaim(_ serial: String) async -> Bool { false }

    func moveRelay(to serial: String?, adapter: String) async -> Bool { false }

    func snapshot() async -> RoomSnapshot {
        RoomSnapshot(monitors: ergs.map { ($0.serial, FleetErg.linked) })
    }
}
