import SDBus

/// What a call about an adapter says about its radio.
///
/// Of a hung controller bluetoothd learns from the kernel, which gives each command two seconds.
/// Some calls then fail, under names that serve other troubles too (bluez 5.82: StartDiscovery
/// InProgress after 4 s, Powered Failed after 2 s), and some are never answered. What bluetoothd or
/// the kernel decide by themselves comes at once.
enum CallVerdict: Equatable, Sendable {
    /// The radio did it.
    case done
    /// Somebody above the radio said no: not powered, blocked, in progress, gone.
    case declined
    /// No answer, or a failure that took as long as the kernel's patience with a controller.
    case stalled

    /// HCI_CMD_TIMEOUT of the kernel, and nothing is quicker than a timer.
    private static let commandTimeout = Duration.seconds(2)

    /// - Parameter error: nil for a call that succeeded.
    init(_ error: BusError?, took elapsed: Duration) {
        guard let error else {
            self = .done
            return
        }
        let isAboveTheRadio = error.isServiceLost || error.isObjectGone || error.isNotReady
        let isLate = elapsed >= Self.commandTimeout
        self = error.isUnanswered || isLate && !isAboveTheRadio ? .stalled : .declined
    }

    /// A failed StopDiscovery, for a scan of our own: "in progress" is then what bluetoothd makes of
    /// a scan that the kernel could not stop, and of every later attempt (bluez 5.82).
    init(stoppingScan error: BusError, took elapsed: Duration) {
        self = error.isInProgress ? .stalled : CallVerdict(error, took: elapsed)
    }
}
