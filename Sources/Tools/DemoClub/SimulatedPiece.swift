import PM5Codec
import PM5Simulator
import Rowing
import Timeline

/// A piece of a simulated rower, as the session machine of a gateway records it.
///
/// The rower rows in fast motion: half an hour takes some ten milliseconds.
package struct SimulatedPiece {
    /// Milliseconds of the boot clock at which the connection to the monitor begins.
    package static let begin = 60_000
    /// A piece that lasts longer is cut off.
    private static let limit = 3 * 3_600_000
    /// The monitor reports the heart rate of the recovery within this time after the end of the piece.
    private static let recovery = 10_000
    private static let tick = 500

    package private(set) var events: [SessionEvent] = []
    /// Number of recorded strokes.
    package private(set) var strokes = 0

    /// Rows a piece to its end.
    ///
    /// - Parameters:
    ///   - rower: nil for the random rower of the seed.
    ///   - identity: the monitor.
    ///   - session: the name of the session.
    ///   - minutes: local time of the monitor's clock, in minutes since 1970.
    ///   - hasForceCurves: whether force curves are recorded; they are larger than all other records.
    ///   - isDetailed: whether the monitor sends its status twice a second, as to a gateway by default;
    ///     otherwise once a second, which is faster to simulate.
    package init(
        _ workout: WorkoutScript, rower: RowerProfile? = nil, on identity: SimulatedIdentity, seed: UInt64,
        session: SessionID, minutes: Int, hasForceCurves: Bool = true, isDetailed: Bool = true
    ) {
        var machine = SessionMachine { session }
        var erg = SimulatedErg(
            identity, script: workout, calendar: MonitorCalendar(minutesAtStart: minutes), seed: seed,
            rower: rower)
        erg.setConnected(true)
        for id in identity.generation.notifying where id != .multiplexed && id != .csafeOut {
            if id == .forceCurve, !hasForceCurves { continue }
            erg.setSubscribed(true, to: id)
        }
        if !isDetailed { erg.write([SampleRate.every1000Milliseconds.rawValue], to: .sampleRate) }
        machine.linkOpened(at: Self.instant(0), into: &events)
        var (end, tick) = (Self.limit, 0)
        while erg.now < end {
            if erg.isDone, end == Self.limit { end = erg.now + Self.recovery }
            let outputs = erg.step(to: min(erg.nextMilliseconds, end))
            while tick + Self.tick <= erg.now {
                tick += Self.tick
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
