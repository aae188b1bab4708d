import Bytes

/// The state of a running logbook from `/api/v1/health`, which the store does not contain.
package struct RunningLogbook: Equatable, Sendable {
    /// Messages refused since the start.
    package struct Refusal: Equatable, Sendable {
        /// A code such as `disk_full`.
        package var reason: String
        package var count: UInt64

        package init(reason: String, count: UInt64) { (self.reason, self.count) = (reason, count) }
    }

    package var refusals: [Refusal]
    /// The reason why its store does not accept records; nil while it does.
    package var failure: String?
    /// Records waiting in memory.
    package var waiting: UInt64 = 0
    /// The kind of file that replaced the store's file: `new`, `another` or `same`.
    package var replacement: String?
    /// Unix milliseconds: when the replacement was detected.
    package var replacedAt: Int64?

    package init(refusals: [Refusal]) { self.refusals = refusals }

    /// nil for an invalid answer.
    package init?(health: [UInt8]) {
        guard let fields = (try? JSONObject(parsing: health)).flatMap(\.self),
            case .list(let refusals)? = fields["refusals"]
        else { return nil }
        self.refusals = refusals.compactMap { value in
            guard case .object(let refusal) = value, let reason = refusal.text("reason"),
                let count = refusal.number("count")
            else { return nil }
            return Refusal(reason: reason, count: count)
        }
        guard case .object(let store)? = fields["store"] else { return }
        if store.text("state") == "failing" { failure = store.text("reason") ?? "other" }
        waiting = store.number("waiting") ?? 0
        replacement = store.text("replaced")
        replacedAt = store.number("replaced_ms").map { Int64(clamping: $0) }
    }

    /// A reason for people.
    package static func words(of reason: String) -> String {
        switch reason {
        case "disk_full": "the disk is full"
        case "read_only": "the file system is read-only"
        case "permission_denied": "permission denied"
        case "io_error": "the disk has I/O errors"
        case "no_folder": "the store's folder is missing"
        case "moved": "the store's file was removed"
        case "busy": "another program holds the store"
        case "corrupt": "the store is damaged"
        case "unreachable", "in_doubt": "the database does not answer"
        case "queue_full": "the store is slower than the broker"
        case "no_record": "not a valid record"
        case "too_many_streams": "there are too many streams"
        case "not_shown": "violates the contract"
        default: "the store fails (\(reason))"
        }
    }

    /// Whether the message was refused for lack of space, so that its record is requested again.
    package static func isRequestedAgain(_ reason: String) -> Bool {
        !["no_record", "too_many_streams", "not_shown"].contains(reason)
    }
}
