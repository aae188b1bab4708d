import PM5Codec
import Rowing

/// A link before it is open: what was read and subscribed so far.
///
/// Confined to the room's queue.
final class LinkPreparation {
    let attempt: LinkAttempt
    var identity: MonitorIdentity
    /// Receives the values of existing subscriptions; nil once it was taken.
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
    func takeStream() -> NotificationStream? {
        defer { stream = nil }
        return stream
    }

    /// Handles a value that was signalled during the preparation.
    func take(_ value: [UInt8], from path: String) {
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
    /// then be missed. 0x0080 is last of all, and carries only what has no characteristic of its
    /// own.
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
        return missing.isEmpty ? nil : missing.map(words).joined(separator: ", ")
    }

    /// Characteristics that some firmware lacks have a description.
    private static func words(for id: CharacteristicID) -> String {
        switch id {
        case .forceCurve: "force curves (\(id))"
        case .loggedWorkout: "the hash of a logged workout (\(id))"
        case .additionalStatus3: "the state of the monitor as a whole (\(id))"
        case .heartRateBelt: "the belt that it hears (\(id))"
        default: "characteristic \(id)"
        }
    }

    /// The characteristic of `wanted` that a link cannot do without.
    static func vital(_ wanted: [CharacteristicID]) -> CharacteristicID {
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
