import Rowing
import Timeline

/// One attempt to connect one monitor through one device object.
///
/// Replies of the bus contain it, so that replies to an earlier attempt are recognized and ignored.
struct LinkAttempt: Hashable, Sendable {
    let serial: String
    /// Incremented for each attempt of a monitor.
    let number: Int
    /// Path of the device object.
    let path: String
}

/// The states, events and actions of a link. LinkStates.md has the diagram, and a test compares it
/// with this file.
extension LinkMachine {
    enum State: Equatable, Sendable {
        case idle(readyAt: BootInstant)
        /// `cancelledAt`: when the Connect was cancelled.
        case connecting(since: BootInstant, cancelledAt: BootInstant?)
        /// Connected; BlueZ discovers the services. `wasLinked` says that `Connected` was seen:
        /// BlueZ may report it after it answered Connect (seen once, with eight at a time), and
        /// only a reported link can be seen to end.
        case resolving(since: BootInstant, wasLinked: Bool)
        /// BlueZ reports that the services are resolved, and all objects are read to find them;
        /// `nextRead` is nil while a read is running.
        case checking(deadline: BootInstant, nextRead: BootInstant?)
        case settingUp(deadline: BootInstant)
        case streaming(lastStatus: BootInstant)
        case disconnecting(deadline: BootInstant, ready: BootInstant)
    }

    enum Event: Sendable {
        /// The room grants this monitor a connect.
        case granted(DeviceObject)
        /// A link exists already: left by a killed client, or still open after its streams ended.
        case adopted(DeviceObject)
        /// The current device object; nil if it is gone.
        case observed(DeviceObject?)
        case connectAnswered(LinkFailure?)
        case servicesRead(complete: Bool)
        /// Whether the monitor notifies before it confirms a subscription.
        case subscriptionProbed(isEarly: Bool)
        case setUpEnded(LinkFailure?)
        /// End of file on a notification socket.
        case streamEnded
        /// When the last status notification arrived, as far as known.
        case statusReceived(BootInstant)
        /// When the monitor was last used.
        case useDetected(BootInstant)
        /// Other monitors wait for the adapter.
        case cancelConnect
        case serviceLost
        case adapterLost
        /// The link must end, permanently or until further notice.
        case released
        case tick
    }

    enum Action: Equatable, Sendable {
        case connect(LinkAttempt)
        case disconnect(LinkAttempt)
        /// Makes BlueZ remove the device with its cached services.
        case remove(LinkAttempt)
        /// Reads all objects again and looks for the rowing service.
        case readServices(LinkAttempt)
        case setUp(LinkAttempt)
        /// Passes the streams to the station.
        case open(LinkAttempt)
        /// Ends the streams and notifies the station; does nothing for streams that ended already.
        case close(LinkAttempt, LinkClosure)
    }
}
