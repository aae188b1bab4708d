import PM5Codec
import Rowing

/// A link on its way to being open: what was read and subscribed so far.
///
/// Confined to the room's queue.
final class LinkPreparation {
    let attempt: LinkAttempt
    var identity: MonitorIdentity
    /// What is subscribed already speaks into it; nil once it was taken.
    private var stream: NotificationStream?
    /// Characteristics whose values come as signals, by path.
    var signalled: [String: CharacteristicID] = [:]
    /// The characteristic that is being probed, by path.
    var probed: String?
    /// A value of it was signalled.
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

    /// Hands over the stream, with the duty to close it; nil the second time.
    func takeStream() -> NotificationStream? {
        defer { stream = nil }
        return stream
    }

    /// A value that was signalled while this is under way.
    func take(_ value: [UInt8], from path: String) {
        if path == probed {
            hasProbedEarly = true
        } else if let id = signalled[path] {
            stream?.deliver(id, value)
        }
    }
}

/// Which characteristics are subscribed, and in which order.
enum SubscriptionOrder {
    /// Events first, the status that begins a session last: once 0x0031 speaks, nothing that it
    /// announces can be missed any more. 0x0080 comes after all others, and then carries only
    /// what has no characteristic of its own.
    static let dedicated: [CharacteristicID] = [
        .csafeOut, .strokeData, .additionalStrokeData, .forceCurve, .splitData,
        .additionalSplitData, .workoutSummary, .additionalWorkoutSummary, .workoutSummary2,
        .loggedWorkout, .heartRateBelt, .additionalStatus3, .additionalStatus2,
        .additionalStatus1, .generalStatus, .multiplexed,
    ]
    static let multiplexed: [CharacteristicID] = [.csafeOut, .multiplexed]

    /// What of `wanted` is not `present`, in words; nil if nothing is amiss.
    ///
    /// The second half of a summary is never missed: it exists only inside 0x0080.
    static func missing(
        of wanted: [CharacteristicID], in present: [CharacteristicID]
    ) -> String? {
        let missing = wanted.filter { !present.contains($0) && $0 != .workoutSummary2 }
        return missing.isEmpty ? nil : missing.map(words).joined(separator: ", ")
    }

    /// Those that some firmware lacks have words of their own.
    private static func words(for id: CharacteristicID) -> String {
        switch id {
        case .forceCurve: "force curves (\(id))"
        case .loggedWorkout: "the hash of a logged workout (\(id))"
        case .additionalStatus3: "the state of the monitor as a whole (\(id))"
        case .heartRateBelt: "the belt that it hears (\(id))"
        default: "characteristic \(id)"
        }
    }

    /// Which of `wanted` a link is no use without.
    static func vital(_ wanted: [CharacteristicID]) -> CharacteristicID {
        wanted.contains(.generalStatus) ? .generalStatus : .multiplexed
    }

    /// What to subscribe on a monitor that has `characteristics`.
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
