import Contract
import MQTTClient
import Rowing
import Synchronization

/// Publishes discovery messages for Home Assistant's MQTT integration, on the broker of one
/// publisher.
///
/// Its topics do not belong to rowgate, so nothing is published until Home Assistant was seen there. It
/// loses discovery messages when it restarts, and then publishes a status message.
package final class HomeAssistantBridge: Sendable {
    /// When ergs are described.
    package enum Discovery: String, CaseIterable, Sendable {
        /// Once `homeassistant/status` was received.
        case automatic
        case always
        case never
    }

    private struct State {
        /// Whether Home Assistant was seen on this broker, or is configured.
        var isPresent: Bool
        /// The messages to publish once it is seen.
        var waiting = RetainedState()
    }

    private let publisher: Publisher
    private let discovery: Discovery
    private let version: String
    private let state: Mutex<State>

    /// - Parameter version: of rowgate.
    package init(_ publisher: Publisher, discovery: Discovery, version: String) {
        self.publisher = publisher
        self.discovery = discovery
        self.version = version
        state = Mutex(State(isPresent: discovery == .always))
    }

    /// Describes the gateway itself.
    package func describeGateway() {
        let device = HomeAssistantGateway(publisher.topics, version: version)
        retain(device.payload(), for: nil)
    }

    /// Describes an erg; `monitor` is nil until one was seen there.
    package func describe(_ station: StationID, _ monitor: MonitorIdentity?) {
        let device = HomeAssistantDevice(
            publisher.topics, station: station, monitor: monitor, version: version)
        retain(device.payload(), for: station)
    }

    /// Removes an erg that no longer exists.
    package func remove(_ station: StationID) { retain([], for: station) }

    private func retain(_ payload: [UInt8], for station: StationID?) {
        guard discovery != .never else { return }
        let topic = RetainedTopic.homeAssistant(station)
        state.withLock { state in
            if state.isPresent {
                publisher.setRetained(topic, payload)
            } else {
                state.waiting.set(payload, on: topic)
            }
        }
    }

    /// Handles Home Assistant's status message. A retained one is outdated, but shows that there is
    /// a Home Assistant.
    package func handleStatus(_ message: IncomingMessage) {
        state.withLock { state in
            let hasStarted = !message.isRetained && message.payload == Availability.online.payload
            if hasStarted || !state.isPresent { publisher.repeatRetained() }
            state.isPresent = true
            while let (topic, payload) = state.waiting.next(excluding: { _ in false }) {
                publisher.setRetained(topic, payload)
            }
        }
    }
}
