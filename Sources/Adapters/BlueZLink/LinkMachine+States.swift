import Rowing
import Timeline

/// One try at holding one monitor through one device object.
///
/// Answers of the bus carry it back, so that what belongs to an earlier try is known and ignored.
struct LinkAttempt: Hashable, Sendable {
    let serial: String
    /// Counts up for each monitor.
    let number: Int
    /// Path of the device object.
    let path: String
}

/// What a link can be in, hear and ask for. LinkStates.md has the picture, and a test that holds it
/// against this.
extension LinkMachine {
    enum State: Equatable, Sendable {
        case idle(readyAt: BootInstant)
        /// `cancelledAt` is when BlueZ was told to give it up.
        case connecting(since: BootInstant, cancelledAt: BootInstant?)
        /// Linked; BlueZ reads the services. `wasLinked` says that `Connected` was seen: BlueZ may
        /// show it after it answered Connect (seen once, with eight at a time), and only a link
        /// that was shown can be seen to end.
        case resolving(since: BootInstant, wasLinked: Bool)
        /// BlueZ says that the services are there, and all objects are read to find them;
        /// `nextRead` is nil while a read is under way.
        case checking(deadline: BootInstant, nextRead: BootInstant?)
        case settingUp(deadline: BootInstant)
        case streaming(lastStatus: BootInstant)
        case disconnecting(deadline: BootInstant, ready: BootInstant)
    }

    enum Event: Sendable {
        /// The room gives this monitor its turn.
        case granted(DeviceObject)
        /// A link stands already, left by a killed client or kept after its streams ended.
        case adopted(DeviceObject)
        /// The device object as BlueZ has it now; nil when it is gone.
        case observed(DeviceObject?)
        case connectAnswered(LinkFailure?)
        case servicesRead(complete: Bool)
        /// Whether the monitor notifies before it confirms a subscription.
        case subscriptionProbed(isEarly: Bool)
        case setUpEnded(LinkFailure?)
        /// End of file on a notification socket.
        case streamEnded
        /// When the last status notification arrived, as far as is known.
        case heardStatus(BootInstant)
        /// When somebody was last seen to use the monitor.
        case heardUse(BootInstant)
        /// Others wait for the adapter.
        case cancelConnect
        case serviceLost
        case adapterLost
        /// The link is to end, for good or until told otherwise.
        case released
        case tick
    }

    enum Action: Equatable, Sendable {
        case connect(LinkAttempt)
        case disconnect(LinkAttempt)
        /// Has BlueZ forget the device, its cached services included.
        case remove(LinkAttempt)
        /// Reads all objects anew and looks for the rowing service.
        case readServices(LinkAttempt)
        case setUp(LinkAttempt)
        /// Hands the streams to the station.
        case open(LinkAttempt)
        /// Ends the streams and tells the station; nothing happens to streams that ended already.
        case close(LinkAttempt, LinkClosure)
    }

    /// The phases' limits, but for the silence that ends a link: `LinkSilence.limit`.
    ///
    /// BlueZ gives up a Connect after 40.4 to 41.1 s by itself, and slow radios need all of that;
    /// no answer at all means that something hangs.
    enum Limit {
        static let connect = Duration.seconds(50)
        /// A Connect is not called off before. A monitor that advertises is linked 0.5 s after it, and
        /// to call it off in the moment in which it answers costs the monitor: the kernel (6.12) tells
        /// bluetoothd that there is no link, and knows of none, while the controller has it and keeps
        /// it until it is switched off.
        static let earliestCancel = Duration.seconds(2)
        /// A Connect that is given up fails at once.
        static let cancel = Duration.seconds(10)
        /// First discovery of the services took 12.6 s with six monitors at once.
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
