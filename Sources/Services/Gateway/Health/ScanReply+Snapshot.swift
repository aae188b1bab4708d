import BlueZLink
import Contract
import ControlSocket

extension ScanReply {
    /// Creates the reply to `rowgatectl scan`: each monitor once, with its strongest signal.
    ///
    /// - Parameter ergs: the ergs of our monitors, by serial number.
    init(_ room: RoomSnapshot, ergs: [String: StationID]) {
        let links = Dictionary(
            room.monitors.map { ($0.serial, $0.status) }, uniquingKeysWith: { first, _ in first })
        let sightings = Dictionary(grouping: room.sightings, by: \.serial)
        self.init(
            isScanning: room.isMonitorMissing || room.adapters.contains(where: \.isDiscovering),
            monitors: sightings.compactMap { serial, all in
                guard let best = all.max(by: { ($0.rssi ?? .min) < ($1.rssi ?? .min) })
                else { return nil }
                return Monitor(
                    serial: serial, erg: ergs[serial]?.slug,
                    phase: links[serial].map { StatusReply.LinkPhase($0.phase) },
                    adapter: links[serial]?.adapter ?? best.adapter, rssiDBm: best.rssi)
            })
    }
}
