import Bytes
import Rowing
import Timeline

/// Payload of a retained availability topic: plain text, not JSON.
package enum Availability: String, Sendable {
    case online, offline

    /// `online` or `offline`.
    package var payload: [UInt8] { Array(rawValue.utf8) }
}

/// A value that is published as a retained JSON object.
package protocol RetainedBody {
    /// The message's `kind`, which is also the last level of its topic.
    static var name: String { get }
    /// Whether the message has `boot_id` and `boot_ms` even if the clock is synchronised.
    static var statesBootTime: Bool { get }
    func write(into json: inout JSONWriter)
}

extension RetainedBody {
    package static var statesBootTime: Bool { false }

    /// The message: `v`, `kind`, `gw`, `erg` and the time, then the body's own fields.
    package func payload(
        gateway: GatewayID, station: StationID? = nil, at now: BootInstant, clock: WallClock
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.head(
                Self.name, gateway: gateway, station: station, at: now, clock: clock,
                statesBootTime: Self.statesBootTime)
            write(into: &json)
        }
    }
}

extension JSONWriter {
    /// Writes the first fields of a message without a sequence number.
    package mutating func head(
        _ kind: String, gateway: GatewayID, station: StationID?, at now: BootInstant,
        clock: WallClock, statesBootTime: Bool = false
    ) {
        field("v", RecordHead.version)
        field("kind", kind)
        field("gw", gateway.slug)
        field("erg", station?.slug)
        clock.stamp(at: now).write(
            into: &self, boot: statesBootTime ? clock.bootTime(at: now) : nil)
    }
}

/// `state`: the current state of an erg.
package struct StationReport: Equatable, Sendable, RetainedBody {
    package static let name = "state"

    /// All values of `state`.
    package static let states =
        ActivityState.allCases.map(\.rawValue) + ["released", "parked", "asleep"]

    /// Whether rowgate is connected to the monitor, or why not.
    package enum MonitorConnection: Equatable, Sendable {
        case linked
        /// Released to a phone app for a time.
        case released
        /// Disconnected because it was not used, so that it can switch itself off.
        case asleep
        /// Intentionally not connected.
        case parked(ParkingReason)
    }

    /// Replaces the activity in `state` unless it is `.linked`.
    package var monitorConnection: MonitorConnection
    /// Last known state of the erg.
    package var station: StationState
    /// Opaque slug of the assigned athlete; nil if none.
    package var athlete: String?
    /// nil unless the configuration publishes names.
    package var athleteName: String?

    package init(
        station: StationState, monitorConnection: MonitorConnection = .linked, athlete: String? = nil,
        athleteName: String? = nil
    ) {
        self.station = station
        self.monitorConnection = monitorConnection
        self.athlete = athlete
        self.athleteName = athleteName
    }

    package func write(into json: inout JSONWriter) {
        switch monitorConnection {
        case .linked: json.field("state", station.activity.rawValue)
        case .released: json.field("state", "released")
        case .asleep: json.field("state", "asleep")
        case .parked(let reason):
            json.field("state", "parked")
            json.field("reason", reason.text)
            json.field("reason_code", reason.code.rawValue)
        }
        json.field("session_id", station.session?.text)
        json.field("athlete_id", athlete)
        json.field("athlete_name", athleteName)
        if let workout = station.workout { json.workout(workout) }
        json.interval(station.interval)
    }
}

extension MonitorIdentity: RetainedBody {
    package static let name = "info"

    package func write(into json: inout JSONWriter) {
        json.field("serial", serial)
        json.field("address", address)
        json.field("adapter", adapter)
        json.field("model", model)
        json.field("manufacturer", manufacturer)
        json.field("hardware", hardwareRevision)
        json.field("firmware", firmwareRevision)
        json.field("machine_type", machineType?.wireName)
        json.field("battery_pct", batteryPercent)
        json.field("capabilities", notifying.map { Self.hexadecimal($0.rawValue) })
    }

    /// Number of a characteristic in Concept2's document, `0031`.
    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}

/// `marks`: the last number of each stream of one erg, which reveals lost records at the end.
package struct StreamPositions: Equatable, Sendable, RetainedBody {
    package static let name = "marks"

    /// ULID of the ring that the numbers belong to.
    package var epoch: String
    /// Last assigned number; without empty streams.
    package var last: [StreamKind: UInt64]

    package init(epoch: String, last: [StreamKind: UInt64]) {
        self.epoch = epoch
        self.last = last
    }

    package func write(into json: inout JSONWriter) {
        json.field("epoch", epoch)
        Self.write(last, into: &json)
    }

    /// Writes the last number of each stream.
    static func write(_ last: [StreamKind: UInt64], into json: inout JSONWriter) {
        for (kind, sequence) in last.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            json.key(key(of: kind))
            json.value(sequence)
        }
    }

    /// Parses the message; nil without an epoch.
    package init?(_ fields: JSONObject) {
        guard let epoch = fields.text("epoch") else { return nil }
        self.epoch = epoch
        last = Self.last(of: StreamKind.ofStation, in: fields)
    }

    /// The last numbers of the gateway's streams, from its `health`.
    package static func ofGateway(in health: JSONObject) -> [StreamKind: UInt64] {
        last(of: StreamKind.ofGateway, in: health)
    }

    private static func last(
        of kinds: [StreamKind], in fields: JSONObject
    ) -> [StreamKind: UInt64] {
        var last: [StreamKind: UInt64] = [:]
        for kind in kinds { last[kind] = fields.number(key(of: kind)) }
        return last
    }

    private static func key(of kind: StreamKind) -> String { "\(kind.topicName)_last_seq" }
}

/// `clock`: one instant on the wall clock (`ts_ms`) and on the boot clock (`boot_ms`), and whether the
/// wall clock is synchronised. Subscribers use it to date records with `clock` unsynced.
package struct ClockReport: Equatable, Sendable, RetainedBody {
    package static let name = "clock"
    package static let statesBootTime = true

    package init() {}
    package func write(into json: inout JSONWriter) {}
}

/// `relays`: the adapters through which phone apps can use monitors.
package struct RelayReport: Equatable, Sendable, RetainedBody {
    package static let name = "relays"

    package struct Relay: Equatable, Sendable {
        /// As configured: `hci1`, or an address.
        package let adapter: String
        /// The erg that it presents; nil for none.
        package let erg: StationID?
        /// `RelayStatus.State` of BlueZLink.
        package let state: String

        package init(adapter: String, erg: StationID?, state: String) {
            (self.adapter, self.erg, self.state) = (adapter, erg, state)
        }
    }

    private let relays: [Relay]

    package init(_ relays: [Relay]) { self.relays = relays }

    package func write(into json: inout JSONWriter) {
        json.list("relays", of: relays) { json, relay in
            json.field("adapter", relay.adapter)
            json.field("erg", relay.erg?.slug)
            json.field("state", relay.state)
        }
    }
}
