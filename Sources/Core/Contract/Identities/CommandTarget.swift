/// The target of a command.
package enum CommandTarget: Hashable, Sendable {
    case gateway
    case station(StationID)
    /// All ergs of the room: `erg/all`. Gives one reply per erg.
    case everyStation
}
