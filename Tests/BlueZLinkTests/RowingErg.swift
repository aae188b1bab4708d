import PM5Codec
import PM5Simulator
import Rowing
import Timeline

/// An erg of the stepped world: a simulated erg with an endless piece, its link, and
/// the session machine of a station, compared with the simulated strokes.
///
/// Stores only the number of the next stroke: a stroke that is neither reported
/// nor within a gap is a violation.
final class RowingErg {
    private var erg: SimulatedErg
    private var machine: SessionMachine
    private var events: [SessionEvent] = []
    private var isOpen = false
    /// Connected, and silent.
    var isHanging = false
    /// The next notifications that are lost on the air.
    var losses = 0

    private(set) var sessions = 0
    private(set) var strokesRowed = 0
    private(set) var strokesReported = 0
    private(set) var gaps = 0
    private(set) var lostStrokes = 0
    private(set) var violations: [String] = []
    /// Number of the next stroke if nothing is lost.
    private var expected = 1

    init(serial: String, seed: UInt64) throws {
        let serialNumber = serial
        erg = SimulatedErg(
            SimulatedIdentity(serial: serial, generation: .new),
            script: try WorkoutScript(parsing: "just-row"),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed)
        machine = SessionMachine(makeSessionID: { SessionID(serialNumber) })
    }

    /// Opens or closes the link; earlier strokes used its previous state.
    func change(isOpen: Bool, at now: BootInstant) {
        advance(to: now)
        self.isOpen = isOpen
        erg.setConnected(isOpen)
        guard isOpen else {
            machine.linkClosed(at: now, into: &events)
            return account(at: now)
        }
        for id in MonitorGeneration.new.notifying where id != .multiplexed && id != .csafeOut {
            erg.setSubscribed(true, to: id)
        }
        machine.linkOpened(at: now, into: &events)
        account(at: now)
    }

    /// Continues to row; received values go to the station.
    func advance(to now: BootInstant) {
        for output in erg.step(to: Int(now.milliseconds)) {
            switch output {
            case .truth(let record):
                if record.kind == .stroke || record.kind == .unsentStroke { strokesRowed += 1 }
            case .notification(let id, let bytes): receive(id, bytes, at: now)
            }
        }
        machine.tick(at: now, into: &events)
        account(at: now)
    }

    private func receive(_ id: CharacteristicID, _ bytes: [UInt8], at now: BootInstant) {
        guard isOpen, !isHanging else { return }
        guard losses == 0 else {
            losses -= 1
            return
        }
        bytes.withUnsafeBytes { machine.receive(id, $0, at: now, into: &events) }
    }

    private func account(at now: BootInstant) {
        for event in events {
            switch event {
            case .session(let edge) where edge.kind == .started: sessions += 1
            case .stroke(let stroke):
                strokesReported += 1
                expect(stroke.number...stroke.number, "stroke")
            case .gap(let gap):
                gaps += 1
                guard let strokes = gap.strokes else { continue }
                lostStrokes += strokes.count
                expect(strokes, "gap")
            default: break
            }
        }
        events.removeAll(keepingCapacity: true)
    }

    private func expect(_ numbers: ClosedRange<Int>, _ what: String) {
        if numbers.lowerBound != expected {
            violations.append("\(what) \(numbers) where \(expected) was to come")
        }
        expected = numbers.upperBound + 1
    }

    /// The current live sample.
    func live(at now: BootInstant) -> MetricsSample? { machine.live(at: now) }

    /// Strokes rowed of which nothing is known yet: the present one at most, while all is well.
    var pending: Int { strokesRowed + 1 - expected }

    /// Number of values that the session machine could not use.
    var droppedValues: Int { machine.counters.unusable }
}
