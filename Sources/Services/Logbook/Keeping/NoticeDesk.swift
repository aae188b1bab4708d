import Contract
import LogbookStores
import Timeline

/// Which notice is published next: one after the other, in their order, each until the broker has it. A
/// value without a clock.
///
/// They are few, so that one at a time is quick enough, and nothing overtakes anything. A death between
/// the broker's answer and the next commit sends one again, under its number.
struct NoticeDesk {
    /// Before one that the broker refused is tried again.
    static let pause = Duration.seconds(300)

    private var position: UInt64
    /// Whether there may be one behind `position`.
    private var hasMore = true
    private var underWay: UInt64?
    private var isConnected = false
    private var retryAt: BootInstant?

    /// - Parameter published: up to here the broker has them all.
    init(published: UInt64) { position = published }

    /// Another logbook has published the notices up to here, and leaves the rest to us.
    mutating func takeOver(published: UInt64) {
        (position, hasMore, underWay) = (published, true, nil)
    }

    mutating func connected() {
        isConnected = true
        retryAt = nil
    }

    mutating func disconnected() { (isConnected, underWay) = (false, nil) }

    /// The store has new ones.
    mutating func stored() { hasMore = true }

    /// Whether the store is to be looked into.
    mutating func isDue(at now: BootInstant) -> Bool {
        if let retryAt, now < retryAt { return false }
        return isConnected && hasMore && underWay == nil
    }

    /// What is to be published of those behind `position`, which `found` begins with. One that was taken
    /// back before anybody heard it is passed over.
    mutating func next(of found: [KeptNotice]) -> KeptNotice? {
        let notice = found.first { !$0.members.isEmpty }
        hasMore = notice != nil
        underWay = notice?.sequence
        return notice
    }

    /// Where to look from.
    var mark: UInt64 { position }

    /// The broker has it. Whether it is the one that it was to have.
    mutating func acknowledged(_ sequence: UInt64) -> Bool {
        guard underWay == sequence else { return false }
        (underWay, position) = (nil, sequence)
        return true
    }

    /// The broker does not want it. Whether that is news.
    mutating func refused(_ sequence: UInt64, at now: BootInstant) -> Bool {
        guard underWay == sequence else { return false }
        let isNews = retryAt == nil
        (underWay, retryAt) = (nil, now.advanced(by: Self.pause))
        return isNews
    }
}
