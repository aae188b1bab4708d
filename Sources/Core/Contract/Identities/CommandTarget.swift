/// Whom a command is for.
package enum CommandTarget: Hashable, Sendable {
    case gateway
    case station(StationID)
    /// The whole room: `erg/all`, one reply per erg.
    case everyStation
}
