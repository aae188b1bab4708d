import BlueZLink
import Contract

/// Chooses the relay for an erg.
struct RelayChoice {
    /// Why there is none.
    struct Failure: Error, Equatable {
        let text: String
    }

    private let relays: [RelayStatus]
    private let names: [String: StationID]

    /// - Parameter names: every erg, by the serial number of its monitor.
    init(_ relays: [RelayStatus], names: [String: StationID]) {
        (self.relays, self.names) = (relays, names)
    }

    /// The relay with this adapter. Without one: the erg's own, one that presents no monitor, or the only one.
    func relay(for serial: String, adapter: String?) throws(Failure) -> RelayStatus {
        guard !relays.isEmpty else {
            throw Failure(
                text: "the gateway has no relay; name an adapter for it as relay_adapters in [bluetooth]")
        }
        if let adapter {
            let name = RelayAdapter(adapter).description
            guard let named = relays.first(where: { $0.adapter == name }) else {
                throw Failure(text: "no relay has the adapter \(adapter); there are: \(list)")
            }
            return named
        }
        let free = relays.first { $0.serial == serial } ?? relays.first { $0.serial == nil }
        if let free { return free }
        guard relays.count == 1 else {
            throw Failure(text: "name the adapter of the relay to move; there are: \(list)")
        }
        return relays[0]
    }

    private var list: String {
        relays.map { relay in
            guard let serial = relay.serial else { return relay.adapter }
            return "\(relay.adapter) (\(names[serial]?.slug ?? "PM5 \(serial)"))"
        }.joined(separator: ", ")
    }
}
