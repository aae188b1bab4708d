import Contract
import LogbookStores
import Timeline

/// Chooses the next notice to publish: in order, one at a time, each until the broker acknowledges it. It has
/// no clock.
///
/// One at a time is fast enough, because notices are few, and it keeps their order. If the program is killed
/// between an acknowledgement and the next commit, it publishes the notice again under the same number.
struct NoticePublishQueue {
    /// The time before a notice that the broker refused is published again.
    static let retryDelay = Duration.seconds(300)

    /// The number of the last notice that the broker acknowledged.
    private(set) var position: UInt64
    /// Whether the store may have a notice after `position`.
    private var hasMore = true
    private var inFlight: UInt64?
    private var isConnected = false
    private var retryAt: BootInstant?

    /// - Parameter published: The number of the last notice that the broker acknowledged.
    init(published: UInt64) { position = published }

    /// Restarts after a number that another logbook or another store file determined.
    mutating func restart(published: UInt64) {
        (position, hasMore, inFlight) = (published, true, nil)
    }

    mutating func connected() {
        isConnected = true
        retryAt = nil
    }

    mutating func disconnected() { (isConnected, inFlight) = (false, nil) }

    /// The store may have new notices.
    mutating func stored() { hasMore = true }

    /// Whether the caller should read notices after `position` from the store.
    mutating func isDue(at now: BootInstant) -> Bool {
        if let retryAt, now < retryAt { return false }
        return isConnected && hasMore && inFlight == nil
    }

    /// Returns the notice to publish, nil for none. Skips notices that were withdrawn before they were
    /// published.
    ///
    /// - Parameter found: The first notices after `position`.
    mutating func next(of found: [StoredNotice]) -> StoredNotice? {
        let notice = found.first { !$0.members.isEmpty }
        hasMore = notice != nil
        inFlight = notice?.sequence
        return notice
    }

    /// Handles the broker's acknowledgement. Returns false if the notice was not in flight.
    mutating func acknowledged(_ sequence: UInt64) -> Bool {
        guard inFlight == sequence else { return false }
        (inFlight, position) = (nil, sequence)
        return true
    }

    /// Handles the broker's refusal. Returns true for the first refusal on this connection.
    mutating func refused(_ sequence: UInt64, at now: BootInstant) -> Bool {
        guard inFlight == sequence else { return false }
        let isFirst = retryAt == nil
        (inFlight, retryAt) = (nil, now.advanced(by: Self.retryDelay))
        return isFirst
    }
}
