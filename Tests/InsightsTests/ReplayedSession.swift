import Foundation
import PM5Codec
import PM5Simulator
import Rowing
import Timeline

@testable import Insights

/// A replayed session: the monitor's values pass through the session machine into rules and rollups, as in
/// the daemon.
struct ReplayedSession {
    private var machine = SessionMachine { SessionID("S1") }
    var alerts: ErgAlerts
    private var windows = RollupWindows()
    private(set) var published: [Alert] = []
    private(set) var rollups: [Rollup] = []
    private(set) var strokes: [Stroke] = []
    private var events: [SessionEvent] = []
    private var milliseconds = 60_000
    private var isLinked = false

    init(_ settings: AlertSettings = AlertSettings()) {
        let count = Count()
        alerts = ErgAlerts(settings) { "A\(count.next())" }
    }

    private var now: BootInstant { BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000) }

    /// The rules with started alerts, in order.
    var fired: [AlertRule] { published.filter { $0.resolution == nil }.map(\.rule) }

    mutating func link(_ isOpen: Bool) {
        isLinked = isOpen
        if isOpen {
            machine.linkOpened(at: now, into: &events)
        } else {
            machine.linkClosed(at: now, into: &events)
        }
        evaluateEvents()
    }

    mutating func receive(_ id: CharacteristicID, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { machine.receive(id, $0, at: now, into: &events) }
        evaluateEvents()
    }

    /// Advances the time, with a tick every half second.
    mutating func pass(to later: Int) {
        while milliseconds + 500 <= later {
            milliseconds += 500
            machine.tick(at: now, into: &events)
            evaluateEvents()
            let moment = ErgMoment(isLinkLost: !isLinked, sample: machine.live(at: now))
            alerts.evaluate(moment, at: now, into: &published)
        }
        milliseconds = max(milliseconds, later)
    }

    private mutating func evaluateEvents() {
        for event in events {
            if case .stroke(let stroke) = event { strokes.append(stroke) }
            alerts.handle(event, at: now, into: &published)
            windows.handle(event, into: &rollups)
        }
        events = []
    }
}

extension ReplayedSession {
    /// Rows `workout` to its end and ten more seconds. In `away` milliseconds the link is lost.
    init(
        _ workout: String, seed: UInt64, generation: MonitorGeneration = .new,
        away: Range<Int> = 0..<0, _ settings: AlertSettings = AlertSettings()
    ) throws {
        self.init(settings)
        var erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: generation),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed)
        erg.setConnected(true)
        for id in generation.notifying where id != .multiplexed && id != .csafeOut {
            erg.setSubscribed(true, to: id)
        }
        link(true)
        let (start, limit) = (milliseconds, 3 * 3600 * 1000)
        var end = limit
        while erg.now < end {
            if erg.isDone, end == limit { end = erg.now + 10_000 }
            let outputs = erg.step(to: min(erg.nextMilliseconds, end))
            pass(to: start + erg.now)
            if away.contains(erg.now) == isLinked { link(!isLinked) }
            for case .notification(let id, let bytes) in outputs where isLinked {
                receive(id, bytes)
            }
        }
    }

    private struct Line: Decodable {
        let milliseconds: Int
        let dir, characteristic, hex: String

        enum CodingKeys: String, CodingKey {
            case milliseconds = "t_ms"
            case dir, characteristic, hex
        }
    }

    /// Replays a recorded connection.
    init(recording file: URL, _ settings: AlertSettings = AlertSettings()) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        self.init(settings)
        link(true)
        let start = milliseconds
        for line in text.split(separator: "\n") {
            guard let value = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)),
                value.dir == "rx",
                // `0x80:0x31` arrived through 0x80.
                let id = UInt16(value.characteristic.prefix { $0 != ":" }.dropFirst(2), radix: 16)
            else { continue }
            let digits = Array(value.hex.utf8)
            pass(to: start + value.milliseconds)
            receive(
                CharacteristicID(rawValue: id),
                stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                    UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
                })
        }
        pass(to: milliseconds + 10_000)
    }
}
