import PM5Codec
import PM5Simulator
import Rowing
import Timeline

/// A piece of a simulated rower, as recorded by a gateway's session machine.
struct PieceTemplate {
    /// Of all templates; each session of the season gets its own.
    static let begin = 60_000

    private(set) var events: [SessionEvent] = []
    private(set) var strokes = 0

    /// Rows it in fast motion, to its end and ten seconds more.
    init(_ workout: String, seed: UInt64) throws {
        var machine = SessionMachine { SessionID("") }
        var erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: .new),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed)
        erg.setConnected(true)
        for id in MonitorGeneration.new.notifying where id != .multiplexed && id != .csafeOut {
            erg.setSubscribed(true, to: id)
        }
        machine.linkOpened(at: Self.instant(0), into: &events)
        let limit = 3 * 3600 * 1000
        var (end, tick) = (limit, 0)
        while erg.now < end {
            if erg.isDone, end == limit { end = erg.now + 10_000 }
            let outputs = erg.step(to: min(erg.nextMilliseconds, end))
            while tick + 500 <= erg.now {
                tick += 500
                machine.tick(at: Self.instant(tick), into: &events)
            }
            for case .notification(let id, let bytes) in outputs {
                bytes.withUnsafeBytes {
                    machine.receive(id, $0, at: Self.instant(erg.now), into: &events)
                }
            }
        }
        strokes = events.count { if case .stroke = $0 { true } else { false } }
    }

    private static func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(begin + milliseconds) * 1_000_000)
    }
}
