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

    /// Time limits of the phases. `LinkTimeouts.silenceLimit` is the limit of an open link without data.
    ///
    /// BlueZ gives up a Connect after 40.4 to 41.1 s, and slow radios need that time. No answer at
    /// all means that something hangs.
    enum Limit {
        static let connect = Duration.seconds(50)
        /// A Connect is not cancelled earlier. A monitor that advertises is linked after 0.5 s. If
        /// the cancellation coincides with its answer, the monitor is lost: the kernel (6.12)
        /// reports no link, while the controller keeps it until it is switched off.
        static let earliestCancel = Duration.seconds(2)
        /// A cancelled Connect fails at once.
        static let cancel = Duration.seconds(10)
        /// The first discovery of the services took 12.6 s with six monitors at once.
        static let resolve = Duration.seconds(30)
        static let showLink = Duration.seconds(3)
        static let check = Duration.seconds(5)
        static let betweenChecks = Duration.milliseconds(200)
        static let setUp = Duration.seconds(40)
        /// The slowest sample rate is one status a second.
        static let firstStatus = Duration.seconds(5)
        static let disconnect = Duration.seconds(10)
    }
}
