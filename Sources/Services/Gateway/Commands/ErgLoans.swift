import BlueZLink
import Contract

/// Lending ergs to phone apps, by their places: what the verbs `release` and `take back` ask for.
struct ErgLoans: Sendable {
    let registry: StationRegistry
    let room: any RoomPort

    /// Lends an erg for `duration`, or until it is taken back; see `RoomLink.release`.
    ///
    /// - Returns: false when no erg has that place.
    func release(_ station: StationID, for duration: Duration? = nil) async -> Bool {
        guard let serial = registry.serial(of: station) else { return false }
        return await room.release(serial, for: duration)
    }

    /// Takes a lent erg back; see `RoomLink.reclaim`.
    ///
    /// - Returns: false when no erg has that place.
    func reclaim(_ station: StationID) async -> Bool {
        guard let serial = registry.serial(of: station) else { return false }
        return await room.reclaim(serial)
    }
}
