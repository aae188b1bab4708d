/// A snapshot of the gateway: the reply of `Status`, and each reply of `Watch`.
///
/// JSON names carry units as in the MQTT payloads. Unknown values are absent.
package struct StatusReply: JSONReply, Equatable, Sendable {
    /// Overall health of the gateway.
    package enum Health: String, Codable, Sendable {
        case ok
        /// A part does not work; the rest does.
        case degraded
        /// Nothing is recorded.
        case failed
    }

    /// Overall health.
    package var status: Health
    /// Reasons for a status other than `ok`, each a sentence for a coach.
    package var reasons: [String]
    /// The reasons for programs; nil from an earlier version.
    package var problems: [Problem]?
    /// Identity and state of the gateway itself.
    package var gateway: Gateway
    /// The D-Bus connection to bluetoothd.
    package var bus: Bus
    /// The machine's Bluetooth adapters that the configuration allows.
    package var adapters: [Adapter]
    /// The MQTT broker.
    package var broker: Broker
    /// The ring log on disk.
    package var ring: Ring
    /// In the order of the configuration.
    package var ergs: [Erg]
    /// Named groups of ergs.
    package var crews: [Crew]
    /// Relays to phones, in the order of their adapters; nil without any.
    package var relays: [Relay]?

    package init(
        status: Health, reasons: [String], gateway: Gateway, bus: Bus, adapters: [Adapter],
        broker: Broker, ring: Ring, ergs: [Erg], crews: [Crew] = []
    ) {
        self.status = status
        self.reasons = reasons
        self.gateway = gateway
        self.bus = bus
        self.adapters = adapters
        self.broker = broker
        self.ring = ring
        self.ergs = ergs
        self.crews = crews
    }
}

extension StatusReply {
    /// A problem, as in the retained `health`.
    package struct Problem: Codable, Equatable, Sendable {
        /// `clock`, `broker` and so on: see rowgate-topics(7).
        package var code: String
        /// `warning` or `critical`.
        package var severity: String
        /// Slug of the affected erg; nil for the gateway.
        package var erg: String?
        package var text: String
        package var remedy: String?

        package init(
            code: String, severity: String, erg: String? = nil, text: String,
            remedy: String? = nil
        ) {
            (self.code, self.severity, self.erg) = (code, severity, erg)
            (self.text, self.remedy) = (text, remedy)
        }
    }

    /// The gateway itself.
    package struct Gateway: Codable, Equatable, Sendable {
        /// The gateway's slug, the third level of every topic.
        package var id: String
        /// Program version, as `rowgate --version` prints it.
        package var version: String
        /// ULID of the ring log. Sequence numbers are comparable only within one epoch.
        package var epoch: String
        /// The kernel's boot ID. Boot times are comparable only within one boot.
        package var bootID: String
        /// Time since the daemon started.
        package var uptimeSeconds: Double
        /// Whether the wall clock is synchronised, for example by NTP.
        package var clockIsSynchronized: Bool
        /// Level of load shedding, 0 (none) to 4.
        package var loadStep: Int?
        /// Queueing delay of Bluetooth values at the last measurement.
        package var queueDelaySeconds: Double?
        /// Load of the processors that rowgate may use, 0 to 100.
        package var cpuPercent: Int?
        /// Active alerts of the gateway itself, in the order of the rules.
        package var alerts: [Alert] = []
        /// Alerts of the gateway itself since the daemon started.
        package var alertsTotal = 0
        /// The athletes who may be assigned; nil if all may.
        package var roster: Roster?
        /// State of the announcement by mDNS as text; nil if it is switched off.
        package var announcement: String?

        package init(
            id: String, version: String, epoch: String, bootID: String, uptimeSeconds: Double,
            clockIsSynchronized: Bool
        ) {
            self.id = id
            self.version = version
            self.epoch = epoch
            self.bootID = bootID
            self.uptimeSeconds = uptimeSeconds
            self.clockIsSynchronized = clockIsSynchronized
        }

        enum CodingKeys: String, CodingKey {
            case id, version, epoch, alerts, roster, announcement
            case bootID = "boot_id"
            case uptimeSeconds = "uptime_s"
            case clockIsSynchronized = "clock_synchronized"
            case loadStep = "load_step"
            case queueDelaySeconds = "queue_delay_s"
            case cpuPercent = "cpu_pct"
            case alertsTotal = "alerts_total"
        }
    }

    /// Ergs whose values are combined.
    package struct Crew: Codable, Equatable, Sendable {
        package var name: String
        /// Slugs of the ergs, in the configured order.
        package var ergs: [String]

        package init(name: String, ergs: [String]) {
            self.name = name
            self.ergs = ergs
        }
    }

    /// The athletes who may be assigned to ergs.
    package struct Roster: Codable, Equatable, Sendable {
        /// `file` or `logbook`.
        package var source: String
        /// Number of athletes; nil if none was received from a logbook yet.
        package var athletes: Int?
        /// The logbook that sent the roster.
        package var logbook: String?
        /// When the logbook sent it: Unix milliseconds.
        package var receivedMilliseconds: Int64?
        /// Ergs with an athlete who is not in the roster.
        package var ergsOfOthers: [String]

        package init(source: String, athletes: Int? = nil, ergsOfOthers: [String] = []) {
            (self.source, self.athletes, self.ergsOfOthers) = (source, athletes, ergsOfOthers)
        }

        enum CodingKeys: String, CodingKey {
            case source, athletes, logbook
            case receivedMilliseconds = "received_ms"
            case ergsOfOthers = "ergs_of_others"
        }
    }

    /// The D-Bus connection and bluetoothd.
    package struct Bus: Codable, Equatable, Sendable {
        /// Whether bluetoothd runs and answers.
        package var isConnected: Bool
        /// The first current error as text; nil if there is none.
        package var lastError: String?
        /// Restarts of bluetooth.service that rowgate requested and systemd did, since the daemon started.
        package var serviceRestarts: Int

        package init(isConnected: Bool, lastError: String? = nil, serviceRestarts: Int = 0) {
            self.isConnected = isConnected
            self.lastError = lastError
            self.serviceRestarts = serviceRestarts
        }

        enum CodingKeys: String, CodingKey {
            case isConnected = "connected"
            case lastError = "last_error"
            case serviceRestarts = "service_restarts"
        }
    }

    /// A Bluetooth adapter that the configuration allows.
    package struct Adapter: Codable, Equatable, Sendable {
        /// Bluetooth address, `F4:4E:FC:00:00:01`.
        package var address: String
        /// The kernel's current name, `hci0`.
        package var name: String
        /// Whether the adapter is on. False also if rfkill blocks it.
        package var isPowered: Bool
        /// Links to configured ergs.
        package var slotsUsed: Int
        /// Links that the adapter supports; nil if unknown.
        package var slotsTotal: Int?
        /// Links of other programs, as the kernel counts them; nil if unknown.
        package var foreignLinks: Int?
        /// Bytes received since the adapter came up.
        package var bytesReceived: Int?
        /// Bytes sent since the adapter came up.
        package var bytesSent: Int?
        /// Receive and send errors since the adapter came up.
        package var errors: Int?
        /// Times that rowgate switched the adapter off and on to recover it, since the daemon started.
        package var powerCycles = 0

        package init(
            address: String, name: String, isPowered: Bool, slotsUsed: Int, slotsTotal: Int? = nil
        ) {
            self.address = address
            self.name = name
            self.isPowered = isPowered
            self.slotsUsed = slotsUsed
            self.slotsTotal = slotsTotal
        }

        enum CodingKeys: String, CodingKey {
            case address, name
            case isPowered = "powered"
            case slotsUsed = "slots_used"
            case slotsTotal = "slots_total"
            case foreignLinks = "foreign_links"
            case bytesReceived = "rx_bytes"
            case bytesSent = "tx_bytes"
            case errors
            case powerCycles = "power_cycles"
        }
    }

    /// An adapter that presents a monitor to a phone.
    package struct Relay: Codable, Equatable, Sendable {
        /// As configured: a kernel name or an address.
        package var adapter: String
        /// Serial number of the monitor; nil if the relay is off.
        package var serial: String?
        /// `adapter_missing`, `adapter_off`, `waiting_for_monitor`, `refused`, `advertising` or `connected`.
        package var state: String
        /// Why bluetoothd refuses it.
        package var problem: String?

        package init(adapter: String, serial: String?, state: String, problem: String? = nil) {
            (self.adapter, self.serial) = (adapter, serial)
            (self.state, self.problem) = (state, problem)
        }
    }

    /// The connection to the broker and its backlog.
    package struct Broker: Codable, Equatable, Sendable {
        /// Host of the broker that is connected or tried.
        package var host: String
        /// 1 to 65535.
        package var port: Int
        /// Whether the MQTT session is open.
        package var isConnected: Bool
        /// Time since the connection opened or closed.
        package var sinceSeconds: Double?
        /// Durable messages that the broker has not acknowledged.
        package var backlogMessages: Int
        /// Age of the oldest message of the backlog.
        package var backlogAgeSeconds: Double?
        /// Messages that the broker acknowledged, since the daemon started.
        package var publishedTotal: Int
        /// Messages that the broker rejected: reason code 0x80 or above.
        package var rejectedTotal: Int
        /// Messages acknowledged with "no matching subscribers" (0x10).
        package var unsubscribedTotal: Int
        /// Why the broker is not connected, as text; nil while it is connected.
        package var lastError: String?

        package init(
            host: String, port: Int, isConnected: Bool, backlogMessages: Int,
            publishedTotal: Int, rejectedTotal: Int, unsubscribedTotal: Int
        ) {
            self.host = host
            self.port = port
            self.isConnected = isConnected
            self.backlogMessages = backlogMessages
            self.publishedTotal = publishedTotal
            self.rejectedTotal = rejectedTotal
            self.unsubscribedTotal = unsubscribedTotal
        }

        enum CodingKeys: String, CodingKey {
            case host, port
            case isConnected = "connected"
            case sinceSeconds = "since_s"
            case backlogMessages = "backlog_messages"
            case backlogAgeSeconds = "backlog_age_s"
            case publishedTotal = "published_total"
            case rejectedTotal = "rejected_total"
            case unsubscribedTotal = "unsubscribed_total"
            case lastError = "last_error"
        }
    }

    /// The ring log file and its contents.
    package struct Ring: Codable, Equatable, Sendable {
        /// Path, as configured.
        package var path: String
        /// Size of the file, which is fixed.
        package var sizeBytes: Int
        /// Share of the file with unpublished records, 0 to 100. Published records stay in the file
        /// until the ring overwrites them.
        package var usedPercent: Double
        /// Age of the oldest record in the ring.
        package var reachSeconds: Double?
        /// Records overwritten before they were published, since the daemon started.
        package var droppedTotal: Int
        /// How long the disk has stalled. Records of this time are not durable.
        package var behindSeconds: Double?
        /// The longest commit of the last hour.
        package var worstCommitSeconds: Double?
        /// The last write error as text; nil while writes succeed.
        package var lastError: String?

        package init(path: String, sizeBytes: Int, usedPercent: Double, droppedTotal: Int) {
            self.path = path
            self.sizeBytes = sizeBytes
            self.usedPercent = usedPercent
            self.droppedTotal = droppedTotal
        }

        enum CodingKeys: String, CodingKey {
            case path
            case sizeBytes = "size_bytes"
            case usedPercent = "used_pct"
            case reachSeconds = "reach_s"
            case droppedTotal = "dropped_total"
            case behindSeconds = "behind_s"
            case worstCommitSeconds = "commit_worst_s"
            case lastError = "last_error"
        }
    }
}
