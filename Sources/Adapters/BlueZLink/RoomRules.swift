/// What a room was told about its links, as the room machine needs it.
struct RoomRules: Sendable {
    /// Which monitors belong to this room.
    enum Guests: Sendable {
        case listed(Set<String>)
        case any(limit: Int)
    }

    var guests: Guests
    /// BD_ADDRs in upper case; empty for every adapter there is.
    var adapters: Set<String> = []
    /// Links that one adapter may hold; nil to learn it.
    var slotsPerAdapter: Int?
    var mayRestartService = false
    var idleRelease: IdleRelease?
    /// Weak enough for the far end of a boathouse, too strong for the house behind it.
    static let usualWeakestSignal = -85
    /// dBm; a room without a list leaves weaker monitors alone.
    var weakestSignal = Self.usualWeakestSignal

    init(guests: Guests) { self.guests = guests }
}

/// Giving up the links of monitors that nobody rows on, so that a phone can have them: a PM5 that
/// is connected does not advertise.
package struct IdleRelease: Equatable, Sendable {
    /// Without a stroke.
    package var after: Duration
    /// How long the monitor is left alone then. Whoever rows without a phone goes unrecorded
    /// meanwhile, so it should be short.
    package var hold: Duration

    package init(after: Duration, hold: Duration) {
        self.after = after
        self.hold = hold
    }
}
