import PM5Codec
import Rowing

/// The identity and subscriptions of a link that is not open yet.
///
/// Confined to the room's queue.
final class LinkPreparation {
    let attempt: LinkAttempt
    var identity: MonitorIdentity
    /// Receives the values of existing subscriptions; nil after `detachStream`.
    private var stream: NotificationStream?
    /// Characteristics whose values arrive as signals, by path.
    var signalled: [String: CharacteristicID] = [:]
    /// The characteristic that is being probed, by path.
    var probed: String?
    /// Whether a value of it arrived as a signal.
    private(set) var hasProbedEarly = false

    init(
        attempt: LinkAttempt, identity: MonitorIdentity, stream: NotificationStream
    ) {
        self.attempt = attempt
        self.identity = identity
        self.stream = stream
    }

    deinit { stream?.close(.lost) }

    func listen(to id: CharacteristicID, on socket: LinkDescriptor) {
        stream?.listen(to: id, on: socket)
    }

    /// Returns the stream, which the caller must close; nil the second time.
    func detachStream() -> NotificationStream? {
        defer { stream = nil }
        return stream
    }

    /// Handles a value that was signalled during the preparation.
    func handleSignalledValue(_ value: [UInt8], from path: String) {
        if path == probed {
            hasProbedEarly = true
        } else if let id = signalled[path] {
            stream?.deliver(id, value)
        }
    }
}

/// The characteristics to subscribe, in order.
enum SubscriptionOrder {
    /// Events first, and the status that begins a session last: no event that follows 0x0031 can
    /// then be missed. 0x0080 is last of all, and carries only values without a separate
    /// characteristic.
    static let dedicated: [CharacteristicID] = [
        .csafeOut, .strokeData, .additionalStrokeData, .forceCurve, .splitData,
        .additionalSplitData, .workoutSummary, .additionalWorkoutSummary, .workoutSummary2,
        .loggedWorkout, .heartRateBelt, .additionalStatus3, .additionalStatus2,
        .additionalStatus1, .generalStatus, .multiplexed,
    ]
    static let multiplexed: [CharacteristicID] = [.csafeOut, .multiplexed]

    /// Describes which of `wanted` are not `present`; nil if all are.
    ///
    /// The second half of a summary is never reported: it exists only inside 0x0080.
    static func missing(
        of wanted: [CharacteristicID], in present: [CharacteristicID]
    ) -> String? {
        let missing = wanted.filter { !present.contains($0) && $0 != .workoutSummary2 }
        return missing.isEmpty ? nil : missing.map(description).joined(separator: ", ")
    }

    /// The name of a missing characteristic in a log line; with words if some firmware does not have it.
    private static func description(of id: CharacteristicID) -> String {
        switch id {
        case .forceCurve: "force curves (\(id))"
        case .loggedWorkout: "logged workout hash (\(id))"
        case .additionalStatus3: "overall monitor state (\(id))"
        case .heartRateBelt: "heart-rate belt (\(id))"
        default: "characteristic \(id)"
        }
    }

    /// The characteristic of `wanted` that a link cannot do without.
    static func essential(_ wanted: [CharacteristicID]) -> CharacteristicID {
        wanted.contains(.generalStatus) ? .generalStatus : .multiplexed
    }

    /// Returns the characteristics to subscribe on a monitor that has `characteristics`.
    static func wanted(
        _ carrier: NotificationCarrier,
        of characteristics: [CharacteristicID: CharacteristicObject]
    ) -> [CharacteristicID] {
        let hasStatus = characteristics[.generalStatus]?.notifies ?? false
        let hasMultiplexed = characteristics[.multiplexed]?.notifies ?? false
        return switch carrier {
        case .dedicated: dedicated
        case .multiplexed: hasMultiplexed ? multiplexed : dedicated
        case .automatic: hasStatus || !hasMultiplexed ? dedicated : multiplexed
        }
    }
}
