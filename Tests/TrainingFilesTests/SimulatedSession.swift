import Contract
import PM5Codec
import PM5Simulator
import Rowing
import Timeline

@testable import TrainingFiles

/// Records of a session as a gateway stores them, written by the contract's encoder.
struct SessionRecords {
    /// 2026-09-05T17:04:00Z, when the monitor was switched on.
    static let begin: Int64 = 1_788_627_840_000
    static let session = SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
    private static let clock = WallClock(
        bootID: "5b1f", unixMillisecondsAtBoot: begin, isSynchronized: true)

    private(set) var records: [StreamKind: [[UInt8]]] = [:]
    private var encoder = RecordEncoder()

    /// Milliseconds after `begin`.
    static func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    mutating func add(_ body: some RecordBody, at instant: BootInstant) {
        let kind = type(of: body).recordKind
        let stream = StreamID(station: StationID("erg-1"), kind: kind)
        let head = RecordHead(
            gateway: GatewayID("boathouse")!, stream: stream, epoch: "01J0EP0CH",
            sequence: UInt64((records[kind]?.count ?? 0) + 1), time: Self.clock.stamp(at: instant))
        records[kind, default: []].append(
            encoder.encode(
                body, head: head,
                context: RecordContext(monitorSerial: "430000001", clock: Self.clock)))
    }

    mutating func add(_ event: SessionEvent) {
        switch event {
        case .session(let edge): add(edge, at: edge.at)
        case .stroke(let stroke): add(stroke, at: stroke.at)
        case .split(let split): add(split, at: split.at)
        case .summary(let summary): add(summary, at: summary.at)
        case .gap(let gap): add(gap, at: gap.at)
        case .force, .state: break
        }
    }

    mutating func remove(_ kind: StreamKind, where isRemoved: (Int) -> Bool = { _ in true }) {
        records[kind] = records[kind]?.enumerated().filter { !isRemoved($0.offset + 1) }
            .map(\.element)
    }

    /// A file with only this session.
    func file(as format: SessionFileFormat) -> [UInt8] {
        var file = SessionFile(as: format, table: .stroke, local: { $0 })
        file.add { records[$0] ?? [] }
        file.finish()
        return file.bytes
    }
}

/// A session from end to end: a simulated monitor, the session machine, the contract's encoder.
struct SimulatedSession {
    private var folder = SessionMachine { SessionRecords.session }
    private var events: [SessionEvent] = []
    private var milliseconds = 0
    private var isLinked = false
    private(set) var written = SessionRecords()

    var records: [StreamKind: [[UInt8]]] { written.records }

    /// Rows `workout` to its end and ten seconds more.
    ///
    /// - Parameters:
    ///   - away: milliseconds without a link.
    ///   - pause: the millisecond at which the rower stops, and the duration.
    init(
        _ workout: String, on machine: SimulatedMachine = .row, seed: UInt64 = 7,
        belt: Bool = true, away: Range<Int> = 0..<0,
        pause: (at: Int, for: Int)? = nil, stopAt: Int? = nil
    ) throws {
        var erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: .new, machine: machine),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed)
        erg.setBelt(isReceived: belt)
        erg.setConnected(true)
        for id in MonitorGeneration.new.notifying where id != .multiplexed && id != .csafeOut {
            erg.setSubscribed(true, to: id)
        }
        link(true)
        var (end, paused, stopped) = (3 * 3600 * 1000, pause == nil, stopAt == nil)
        let limit = end
        while erg.now < end {
            if erg.isDone, end == limit { end = erg.now + 10_000 }
            if let pause, !paused, erg.now >= pause.at {
                erg.pause(forMilliseconds: pause.for)
                paused = true
            }
            if let stopAt, !stopped, erg.now >= stopAt {
                erg.press(.menu)
                stopped = true
            }
            let outputs = erg.step(to: min(erg.nextMilliseconds, end))
            pass(to: erg.now)
            if away.contains(erg.now) == isLinked { link(!isLinked) }
            for case .notification(let id, let bytes) in outputs where isLinked {
                bytes.withUnsafeBytes { folder.receive(id, $0, at: now, into: &events) }
                write()
            }
        }
    }

    private var now: BootInstant { SessionRecords.instant(milliseconds) }

    private mutating func link(_ isOpen: Bool) {
        isLinked = isOpen
        if isOpen {
            folder.linkOpened(at: now, into: &events)
        } else {
            folder.linkClosed(at: now, into: &events)
        }
        write()
    }

    private mutating func pass(to later: Int) {
        while milliseconds + 500 <= later {
            milliseconds += 500
            folder.tick(at: now, into: &events)
            write()
        }
        milliseconds = max(milliseconds, later)
    }

    private mutating func write() {
        for event in events { written.add(event) }
        events = []
    }
}
