/// Which monitors and adapters a room uses, and how.
package struct RoomRules: Sendable {
    /// Which monitors belong to this room.
    enum Guests: Sendable {
        case listed(Set<String>)
        case any(limit: Int)
    }

    var guests: Guests
    /// Addresses in upper case of the adapters to use; empty for every adapter there is.
    package var adapters: Set<String> = []
    /// Links that one adapter may hold; nil to learn it.
    package var slotsPerAdapter: Int?
    /// Whether bluetooth.service may be restarted when an adapter hangs; systemd asks polkit too.
    package var mayRestartService = false
    /// nil for never.
    package var idleRelease: IdleRelease?
    /// Unless the configuration says otherwise. Monitors at the far end of a boathouse are stronger,
    /// those in the house behind it are weaker.
    package static let usualWeakestSignal = -85
    /// dBm; a room without a list leaves weaker monitors alone.
    package var weakestSignal = Self.usualWeakestSignal

    init(guests: Guests) { self.guests = guests }
}

/// Giving up the links of monitors that nobody uses: a PM5 that is connected never switches itself
/// off, and empties its batteries.
package struct IdleRelease: Equatable, Sendable {
    /// Without a stroke, a key or a new program.
    package var after: Duration
    /// How long the monitor is left alone then while it goes on advertising. It switches itself off
    /// after four minutes; one that is still on later is used by somebody, who goes unrecorded
    /// until then, or has no batteries to save.
    package var hold: Duration

    package init(after: Duration, hold: Duration) {
        self.after = after
        self.hold = hold
    }
}
