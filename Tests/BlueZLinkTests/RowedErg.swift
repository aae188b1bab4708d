import PM5Codec
import PM5Simulator
import Rowing
import Timeline

/// One seat of the stepped world: a simulated erg that is rowed without end, the link between, and
/// the fold of a station, held against what was rowed.
///
/// Nothing is kept of what is told but the number of the next stroke: a stroke that is neither told
/// nor within a gap is noted at once.
final class RowedErg {
    private var erg: SimulatedErg
    private var machine: SessionMachine
    private var events: [SessionEvent] = []
    private var isOpen = false
    /// Connected, and silent.
    var isHanging = false
    /// The next notifications that are lost on the air.
    var losses = 0

    private(set) var sessions = 0
    private(set) var rowed = 0
    private(set) var told = 0
    private(set) var gaps = 0
    private(set) var lostStrokes = 0
    private(set) var violations: [String] = []
    /// Number of the stroke that comes next if nothing is lost.
    private var expected = 1

    init(serial: String, seed: UInt64) throws {
        let serialNumber = serial
        erg = SimulatedErg(
            SimulatedIdentity(serial: serial, generation: .new),
            script: try WorkoutScript(parsing: "just-row"),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed)
        machine = SessionMachine(makeSessionID: { SessionID(serialNumber) })
    }

    /// The link opens or closes; what was rowed until then went over it as it was.
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

    /// Rows on, and lets the station hear what reaches it.
    func advance(to now: BootInstant) {
        for output in erg.step(to: Int(now.milliseconds)) {
            switch output {
            case .truth(let record):
                if record.kind == .stroke || record.kind == .unsentStroke { rowed += 1 }
            case .notification(let id, let bytes): hear(id, bytes, at: now)
            }
        }
        machine.tick(at: now, into: &events)
        account(at: now)
    }

    private func hear(_ id: CharacteristicID, _ bytes: [UInt8], at now: BootInstant) {
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
                told += 1
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

    /// What a dashboard is shown at this moment.
    func live(at now: BootInstant) -> MetricsSample? { machine.live(at: now) }

    /// Strokes rowed of which nothing is known yet: the present one at most, while all is well.
    var pending: Int { rowed + 1 - expected }

    /// The number by which the monitor is told apart in a machine's memory.
    var droppedValues: Int { machine.counters.unusable }
}
