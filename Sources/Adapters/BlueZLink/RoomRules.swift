/// Which monitors and adapters a room uses, and how.
package struct RoomRules: Sendable {
    /// Which monitors belong to this room.
    enum Membership: Sendable {
        case listed(Set<String>)
        case any(limit: Int)
    }

    var membership: Membership
    /// Addresses of the adapters to use, in upper case; empty for all.
    package var adapters: Set<String> = []
    /// Adapters that are reserved for relays: the room neither scans nor connects with them.
    package var relayAdapters: Set<RelayAdapter> = []
    /// Maximum links per adapter; nil to learn it.
    package var slotsPerAdapter: Int?
    /// Whether bluetooth.service may be restarted if an adapter hangs; systemd also asks polkit.
    package var mayRestartService = false
    /// nil for never.
    package var idleRelease: IdleRelease?
    /// The default. Monitors at the far end of a boathouse are stronger, those in the next building
    /// are weaker.
    package static let defaultWeakestSignal = -85
    /// In dBm; a room without a list ignores weaker monitors.
    package var weakestSignal = Self.defaultWeakestSignal

    init(membership: Membership) { self.membership = membership }
}

/// When to release unused monitors: a connected PM5 never switches itself off, and drains its
/// batteries.
package struct IdleRelease: Equatable, Sendable {
    /// Time without a stroke, a key press or a new program.
    package var after: Duration
    /// How long a released monitor is left alone while it still advertises. It switches itself off
    /// after four minutes; if it is on later, it is either in use, and not recorded until then, or
    /// has an external supply.
    package var hold: Duration

    package init(after: Duration, hold: Duration) {
        self.after = after
        self.hold = hold
    }
}
