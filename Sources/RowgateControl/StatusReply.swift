/// The whole gateway at one moment: the reply of `Status`, and of `Watch` again and again.
///
/// Names in JSON carry their units as in the MQTT payloads; what is not known is left out.
package struct StatusReply: Codable, Equatable, Sendable {
    package enum Health: String, Codable, Sendable {
        case ok
        /// Something is amiss and the rest works.
        case degraded
        /// Nothing is recorded.
        case failed
    }

    package var status: Health
    /// Why the status is not ok, each a sentence for a coach; empty when it is.
    package var reasons: [String]
    package var gateway: Gateway
    package var bus: Bus
    package var adapters: [Adapter]
    package var broker: Broker
    package var ring: Ring
    /// In the order of the configuration.
    package var ergs: [Erg]

    package init(
        status: Health, reasons: [String], gateway: Gateway, bus: Bus, adapters: [Adapter],
        broker: Broker, ring: Ring, ergs: [Erg]
    ) {
        self.status = status
        self.reasons = reasons
        self.gateway = gateway
        self.bus = bus
        self.adapters = adapters
        self.broker = broker
        self.ring = ring
        self.ergs = ergs
    }
}

extension StatusReply {
    package struct Gateway: Codable, Equatable, Sendable {
        package var id: String
        package var version: String
        /// ULID of the ring's life: sequence numbers are comparable only within one.
        package var epoch: String
        package var bootID: String
        /// Since the daemon started.
        package var uptimeSeconds: Double
        /// Whether something (NTP, say) keeps the wall clock right.
        package var clockIsSynchronized: Bool

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
            case id, version, epoch
            case bootID = "boot_id"
            case uptimeSeconds = "uptime_s"
            case clockIsSynchronized = "clock_synchronized"
        }
    }

    /// The D-Bus connection, and bluetoothd behind it.
    package struct Bus: Codable, Equatable, Sendable {
        package var isConnected: Bool
        package var lastError: String?
        /// Restarts of bluetooth.service that were asked for, since the start.
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

    package struct Adapter: Codable, Equatable, Sendable {
        package var address: String
        /// The kernel's name at this moment, `hci0`.
        package var name: String
        package var isPowered: Bool
        package var slotsUsed: Int
        /// Links that it can hold; nil while that is not known.
        package var slotsTotal: Int?
        /// Links of other programs, by the kernel's count; nil where it does not say, as below.
        package var foreignLinks: Int?
        /// Since the adapter came up.
        package var bytesReceived: Int?
        package var bytesSent: Int?
        /// Of both directions.
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

    package struct Broker: Codable, Equatable, Sendable {
        package var host: String
        package var port: Int
        package var isConnected: Bool
        /// How long it has been connected, or disconnected.
        package var sinceSeconds: Double?
        /// Durable messages that the broker has not acknowledged yet.
        package var backlogMessages: Int
        /// Age of the oldest of them.
        package var backlogAgeSeconds: Double?
        /// Messages since the start: acknowledged,
        package var publishedTotal: Int
        /// acknowledged with a refusal (0x80 and above),
        package var rejectedTotal: Int
        /// and acknowledged with "no subscribers" (0x10).
        package var unsubscribedTotal: Int
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

    package struct Ring: Codable, Equatable, Sendable {
        package var path: String
        package var sizeBytes: Int
        /// Of the size, 0 to 100.
        package var usedPercent: Double
        /// Age of the oldest and newest record; nil while the ring is empty.
        package var oldestAgeSeconds: Double?
        package var newestAgeSeconds: Double?
        /// Records overwritten before they were published, since the start.
        package var droppedTotal: Int
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
            case oldestAgeSeconds = "oldest_age_s"
            case newestAgeSeconds = "newest_age_s"
            case droppedTotal = "dropped_total"
            case lastError = "last_error"
        }
    }
}
