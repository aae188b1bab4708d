/// The whole gateway at one moment: the reply of `Status`, and of `Watch` again and again.
///
/// Names in JSON carry their units as in the MQTT payloads; what is not known is left out.
package struct StatusReply: JSONReply, Equatable, Sendable {
    /// How well the gateway does its work.
    package enum Health: String, Codable, Sendable {
        case ok
        /// Something is amiss and the rest works.
        case degraded
        /// Nothing is recorded.
        case failed
    }

    /// `ok` needs no look at the rest.
    package var status: Health
    /// Why the status is not ok, each a sentence for a coach; empty when it is.
    package var reasons: [String]
    /// The same for programs; nil from an earlier version.
    package var problems: [Problem]?
    /// What the gateway is.
    package var gateway: Gateway
    /// What it reaches Bluetooth through.
    package var bus: Bus
    /// Bluetooth adapters of this machine that the configuration admits.
    package var adapters: [Adapter]
    /// The MQTT broker that the messages are published to.
    package var broker: Broker
    /// The file on disk that keeps the records.
    package var ring: Ring
    /// In the order of the configuration.
    package var ergs: [Erg]
    /// Named sets of them.
    package var crews: [Crew]

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
    /// Something that is wrong, as the retained `health` has it.
    package struct Problem: Codable, Equatable, Sendable {
        /// `clock`, `broker` and so on: see rowgate-topics(7).
        package var code: String
        /// `warning` or `critical`.
        package var severity: String
        /// The slug of the erg that it is about; nil for the gateway.
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

    /// Which gateway this is, and since when.
    package struct Gateway: Codable, Equatable, Sendable {
        /// Its slug, the third level of every topic.
        package var id: String
        /// Of the program, as `rowgate --version` tells it.
        package var version: String
        /// ULID of the ring's life: sequence numbers are comparable only within one.
        package var epoch: String
        /// The kernel's: boot times are comparable only within one.
        package var bootID: String
        /// Since the daemon started.
        package var uptimeSeconds: Double
        /// Whether something (NTP, say) keeps the wall clock right.
        package var clockIsSynchronized: Bool
        /// What is left out while the machine is too slow: 0 for nothing, up to 4.
        package var loadStep: Int?
        /// How long a value may have waited to be looked at, as of the last look.
        package var queueDelaySeconds: Double?
        /// Of the processors that rowgate may use, 0 to 100.
        package var cpuPercent: Int?
        /// The gateway's own alerts that fire, in the order of the rules.
        package var alerts: [Alert] = []
        /// Those that began since the start.
        package var alertsTotal = 0

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
            case id, version, epoch, alerts
            case bootID = "boot_id"
            case uptimeSeconds = "uptime_s"
            case clockIsSynchronized = "clock_synchronized"
            case loadStep = "load_step"
            case queueDelaySeconds = "queue_delay_s"
            case cpuPercent = "cpu_pct"
            case alertsTotal = "alerts_total"
        }
    }

    /// Ergs whose figures are put together.
    package struct Crew: Codable, Equatable, Sendable {
        package var name: String
        /// Their slugs, in the order in which they were named.
        package var ergs: [String]

        package init(name: String, ergs: [String]) {
            self.name = name
            self.ergs = ergs
        }
    }

    /// The D-Bus connection, and bluetoothd behind it.
    package struct Bus: Codable, Equatable, Sendable {
        /// Whether bluetoothd is there and answers.
        package var isConnected: Bool
        /// The first of the troubles there are, in words; nil without any.
        package var lastError: String?
        /// Restarts of bluetooth.service that were asked for and granted, since the start.
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

    /// One Bluetooth adapter that the configuration admits.
    package struct Adapter: Codable, Equatable, Sendable {
        /// Its own, `F4:4E:FC:00:00:01`.
        package var address: String
        /// The kernel's name at this moment, `hci0`.
        package var name: String
        /// False also where rfkill holds it down.
        package var isPowered: Bool
        /// Links to ergs of ours.
        package var slotsUsed: Int
        /// Links that it can hold; nil while that is not known.
        package var slotsTotal: Int?
        /// Links of other programs, as the kernel counts them; nil where it does not say.
        package var foreignLinks: Int?
        /// Since the adapter came up.
        package var bytesReceived: Int?
        /// Since the adapter came up.
        package var bytesSent: Int?
        /// Receive and send errors together, since the adapter came up.
        package var errors: Int?
        /// Times that it was switched off and on to mend it, since the start.
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

    /// The connection to the broker, and what waits for it.
    package struct Broker: Codable, Equatable, Sendable {
        /// Of the broker that serves us, or that is tried.
        package var host: String
        /// 1 to 65535.
        package var port: Int
        /// Whether it has accepted us and not gone since.
        package var isConnected: Bool
        /// How long it has been connected, or disconnected.
        package var sinceSeconds: Double?
        /// Durable messages that the broker has not acknowledged yet.
        package var backlogMessages: Int
        /// Age of the oldest of them.
        package var backlogAgeSeconds: Double?
        /// Messages that the broker acknowledged, since the start.
        package var publishedTotal: Int
        /// Messages that it acknowledged with a reason of 0x80 or above: it did not take them.
        package var rejectedTotal: Int
        /// Messages that it acknowledged with "no matching subscribers" (0x10).
        package var unsubscribedTotal: Int
        /// Why it is not connected, in words; nil while it is.
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

    /// The ring file, and what it holds.
    package struct Ring: Codable, Equatable, Sendable {
        /// As configured.
        package var path: String
        /// Of the whole file, which does not grow.
        package var sizeBytes: Int
        /// Of the size, 0 to 100: records that wait for the broker. Those that it has stay in the
        /// ring too, until it comes round.
        package var usedPercent: Double
        /// How far back the ring reaches: the age of the oldest record that it holds.
        package var reachSeconds: Double?
        /// Records overwritten before they were published, since the start.
        package var droppedTotal: Int
        /// How long the disk has not answered, what was recorded since then not being durable.
        package var behindSeconds: Double?
        /// The longest that it took to make records durable, of the last hour.
        package var worstCommitSeconds: Double?
        /// In words; nil while the disk takes what is written.
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
