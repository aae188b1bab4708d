import Rowing
import Timeline

/// What the rules want to know of the gateway at a moment; nil where nobody can tell.
package struct GatewayMoment: Sendable {
    /// Whether bluetoothd is there, and the bus to it.
    package var hasBluetooth: Bool
    /// How many adapters work.
    package var adapters: Int
    package var isUndervoltage: Bool?
    /// How long the oldest record has waited for the broker; nil for none.
    package var backlogAge: Duration?
    /// Whether the ring log is in memory alone.
    package var isRingLost: Bool
    /// How long the disk has not answered.
    package var diskBehind: Duration
    /// Whether something keeps the wall clock right.
    package var isClockRight: Bool

    package init(
        hasBluetooth: Bool, adapters: Int, isUndervoltage: Bool? = nil,
        backlogAge: Duration? = nil, isRingLost: Bool = false, diskBehind: Duration = .zero,
        isClockRight: Bool = true
    ) {
        self.hasBluetooth = hasBluetooth
        self.adapters = adapters
        self.isUndervoltage = isUndervoltage
        self.backlogAge = backlogAge
        self.isRingLost = isRingLost
        self.diskBehind = diskBehind
        self.isClockRight = isClockRight
    }
}

/// The gateway's own alerts, and what is out for all its ergs.
package struct GatewayAlerts: Sendable {
    /// So many seconds a record may wait for the broker when it is right again.
    static let backlogExit = 10
    /// A card stalls for a second or two.
    static let diskBehind = (seconds: 5, exit: 1)

    private var book: AlertBook
    private let longestBacklog: Int

    /// - Parameters:
    ///   - firing: what fired when another process was here last.
    ///   - makeID: a new ULID for each alert.
    package init(
        _ settings: AlertSettings, firing: [Alert] = [], makeID: @escaping @Sendable () -> String
    ) {
        book = AlertBook(settings.ofGateway, firing: firing, makeID: makeID)
        longestBacklog = Int(settings.longestBacklog.components.seconds)
    }

    /// What fires, in the order of the rules.
    package var firing: [Alert] { book.firing }

    /// Somebody has seen the alert of an id. Returns it with who saw it first; nil where none of that
    /// id fires.
    package mutating func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, into alerts: inout [Alert]
    ) -> Alert? {
        book.acknowledge(id, by: name, at: now, into: &alerts)
    }

    /// Nobody knows any more that it was `name` who saw what fires.
    package mutating func forget(_ name: String) { book.forget(name) }

    /// What is out for every erg; nil for nothing.
    package var outage: AlertRule.Level? { book.ownOutage }

    /// Takes in a moment; comes every few seconds.
    package mutating func take(
        _ moment: GatewayMoment, at now: BootInstant, into alerts: inout [Alert]
    ) {
        book.end(allBut: nil, at: now, into: &alerts)
        let readings: [(AlertRule, AlertReading)] = [
            (.bluetoothLost, AlertReading(isWrong: !moment.hasBluetooth)),
            (.adapterLost, AlertReading(isWrong: moment.adapters == 0)),
            (.undervoltage, moment.isUndervoltage.map { AlertReading(isWrong: $0) } ?? .unknown),
            (
                .backlog,
                AlertReading(
                    moment.backlogAge ?? .zero,
                    (longestBacklog, min(Self.backlogExit, longestBacklog / 2)))
            ),
            (.ring, AlertReading(isWrong: moment.isRingLost)),
            (.disk, AlertReading(moment.diskBehind, Self.diskBehind)),
            (.clock, AlertReading(isWrong: !moment.isClockRight)),
        ]
        for (rule, reading) in readings {
            book.take(rule, reading, at: now, into: &alerts)
        }
    }
}

extension AlertReading {
    /// A time that should be short.
    fileprivate init(_ time: Duration, _ limit: (seconds: Int, exit: Int)) {
        self.init(Int(time.components.seconds), below: limit.seconds, exit: limit.exit)
    }
}
