/// The time limits of connecting, subscribing and disconnecting.
extension LinkMachine {
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
