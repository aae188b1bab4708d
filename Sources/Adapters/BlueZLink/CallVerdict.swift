import SDBus

/// Classifies the result of a call by the state of the adapter's radio.
///
/// bluetoothd learns of a hung controller from the kernel, which waits two seconds for each
/// command. Some calls then fail with names that also have other causes (bluez 5.82: StartDiscovery
/// InProgress after 4 s, Powered Failed after 2 s), and some are never answered. Decisions of
/// bluetoothd or the kernel themselves arrive at once.
enum CallVerdict: Equatable, Sendable {
    /// The radio executed it.
    case done
    /// A layer above the radio refused: not powered, blocked, in progress, gone.
    case declined
    /// No answer, or a failure that took as long as the kernel waits for a controller.
    case stalled

    /// HCI_CMD_TIMEOUT of the kernel; a timer never fires early.
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

    /// A failed StopDiscovery of our own scan. bluetoothd answers "in progress" if the kernel could
    /// not stop the scan, and for every later attempt (bluez 5.82).
    init(stoppingScan error: BusError, took elapsed: Duration) {
        self = error.isInProgress ? .stalled : CallVerdict(error, took: elapsed)
    }
}
