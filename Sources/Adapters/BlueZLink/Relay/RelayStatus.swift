import HostRuntime
import PM5Codec

/// An adapter that is reserved for a relay: its kernel name (`hci1`) or its address in upper case.
package struct RelayAdapter: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = text.contains(":") ? text.uppercased() : text
    }

    func matches(_ object: AdapterObject) -> Bool {
        description == object.name || description == object.address
    }
}

/// The state of a relay, for status and doctor.
package struct RelayStatus: Equatable, Sendable {
    package enum State: String, Sendable {
        /// The adapter is missing, or bluetoothd is.
        case adapterMissing = "adapter_missing"
        case adapterOff = "adapter_off"
        /// The monitor is not connected, so there is nothing to relay.
        case waitingForMonitor = "waiting_for_monitor"
        /// bluetoothd has not accepted the services or the advertisement; `problem` says why.
        case refused
        /// Phones can find it.
        case advertising
        /// A phone is connected.
        case connected
    }

    /// As configured.
    package let adapter: String
    /// Of the monitor; nil if the relay is off.
    package let serial: String?
    package let state: State
    /// The cause of `refused`; nil if bluetoothd has not answered yet.
    package let problem: String?

    package init(adapter: String, serial: String?, state: State, problem: String?) {
        (self.adapter, self.serial) = (adapter, serial)
        (self.state, self.problem) = (state, problem)
    }
}
