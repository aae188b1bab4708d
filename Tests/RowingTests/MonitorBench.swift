import PM5Codec
import PM5Simulator

@testable import Rowing
@testable import Timeline

/// A simulated erg, whose answers can be lost or changed, and a procedure, in stepped time.
struct MonitorBench {
    var erg: SimulatedErg
    private var procedure: WorkoutProcedure?
    private(set) var result: Result<Rowing.Workout, WorkoutProcedure.Failure>?
    /// The commands of every complete written frame, in order.
    private(set) var written: [[Command]] = []
    private var host = FrameParser()
    private(set) var truth: [TruthRecord] = []
    /// Changes a received value; nil drops it.
    var pass: (CharacteristicID, [UInt8]) -> [UInt8]? = { $1 }

    /// - Parameter isIdle: whether the erg has no rower.
    init(
        _ workout: String, isIdle: Bool = false, seed: UInt64 = 1,
        generation: MonitorGeneration = .new, subscribe: [CharacteristicID]? = nil
    ) throws {
        erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: generation),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed,
            startDelayMilliseconds: isIdle ? 3_600_000 : 1000)
        erg.setConnected(true)
        for id in subscribe ?? generation.notifying.filter({ $0 != .multiplexed }) {
            erg.setSubscribed(true, to: id)
        }
    }

    private var now: BootInstant { BootInstant(nanoseconds: UInt64(erg.now) * 1_000_000) }

    /// Advances the time of both sides.
    mutating func run(milliseconds: Int) {
        let end = erg.now + milliseconds
        while erg.now < end {
            let tick = procedure?.nextTick.map { Int($0.milliseconds) } ?? end
            // At least one millisecond, so that a waiting request reaches its time.
            let next = max(erg.now + 1, min(erg.nextMilliseconds, tick, end))
            for output in erg.step(to: next) { handle(output) }
            var actions: [WorkoutProcedure.Action] = []
            let now = now
            procedure?.tick(at: now, into: &actions)
            perform(actions)
        }
    }

    /// Runs an order until its result, for two minutes at most.
    mutating func carryOut(
        _ order: WorkoutProcedure.Order
    ) throws -> Result<Rowing.Workout, WorkoutProcedure.Failure>? {
        result = nil
        procedure = try WorkoutProcedure(order, at: now)
        let end = erg.now + 120_000
        while result == nil, erg.now < end { run(milliseconds: 100) }
        procedure = nil
        return result
    }

    private mutating func handle(_ output: ErgOutput) {
        switch output {
        case .truth(let record): truth.append(record)
        case .notification(let id, let bytes):
            guard let bytes = pass(id, bytes) else { return }
            var actions: [WorkoutProcedure.Action] = []
            let now = now
            bytes.withUnsafeBytes { procedure?.receive(id, $0, at: now, into: &actions) }
            perform(actions)
        }
    }

    private mutating func perform(_ actions: [WorkoutProcedure.Action]) {
        for action in actions {
            switch action {
            case .finish(let result): self.result = result
            case .terminated: break
            case .write(let pieces):
                for piece in pieces {
                    precondition(piece.count <= 20, "a value is 20 bytes at most")
                    for case .frame(let frame) in host.consume(piece) {
                        precondition(frame.encodedLength <= Frame.maximumLength, "120 bytes")
                        written.append((try? Command.parse(frame.contents)) ?? [])
                    }
                    erg.write(piece, to: .csafeIn)
                }
            }
        }
    }

    /// The number of programming frames and screen commands that were written, without polls.
    var orders: [Command] {
        written.flatMap { $0 }.filter {
            if case .wrapped(.setConfiguration, _) = $0 { true } else { false }
        }
    }
}
