import BlueZLink
import Contract
import ControlSocket

extension ScanReply {
    /// Creates the reply to `rowgatectl scan`: each monitor once, by the adapter that hears it
    /// best.
    ///
    /// - Parameter places: the ergs of our monitors, by serial number.
    init(_ room: RoomSnapshot, places: [String: StationID]) {
        let links = Dictionary(
            room.monitors.map { ($0.serial, $0.status) }, uniquingKeysWith: { first, _ in first })
        let heard = Dictionary(grouping: room.sightings, by: \.serial)
        self.init(
            isScanning: room.isSeeking || room.adapters.contains(where: \.isDiscovering),
            monitors: heard.compactMap { serial, sightings in
                guard let best = sightings.max(by: { ($0.rssi ?? .min) < ($1.rssi ?? .min) })
                else { return nil }
                return Monitor(
                    serial: serial, erg: places[serial]?.slug,
                    phase: links[serial].map { StatusReply.LinkPhase($0.phase) },
                    adapter: links[serial]?.adapter ?? best.adapter, rssiDBm: best.rssi)
            })
    }
}
