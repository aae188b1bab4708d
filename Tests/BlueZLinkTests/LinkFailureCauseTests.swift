import Testing

@testable import BlueZLink
@testable import SDBus

/// The user-visible cause of a failed attempt.
struct LinkFailureCauseTests {
    private static func error(_ name: String?, _ message: String, errno: Int32 = 0) -> BusError {
        BusError(
            operation: "org.bluez.Device1.Connect", subject: "/org/bluez/hci0/dev_F4_30",
            name: name, message: message, errno: errno)
    }

    private static let errors = [
        error("org.bluez.Error.Failed", "le-connection-abort-by-local"),
        error("org.bluez.Error.Failed", "le-connection-concurrent-connection-limit"),
        error("org.bluez.Error.InProgress", "In Progress"),
        error("org.bluez.Error.NotReady", "Resource Not Ready"),
        error("org.bluez.Error.NotConnected", "Not Connected"),
        error("org.bluez.Error.NotPermitted", "Operation failed with ATT error: 0x0e"),
        error("org.freedesktop.DBus.Error.UnknownObject", "Method \"Connect\" does not exist"),
        error("org.freedesktop.DBus.Error.NoReply", "Message recipient disconnected"),
        error("org.freedesktop.DBus.Error.ServiceUnknown", "The name org.bluez was not provided"),
        error(nil, "Connection timed out", errno: 110),
        error("org.bluez.Error.Later", "something that no version of BlueZ says yet"),
    ]

    @Test(arguments: errors)
    func causeContainsNoDBusNames(error: BusError) {
        let failures = [
            LinkFailure(connecting: error, took: .milliseconds(300)),
            LinkFailure(connecting: error, took: .seconds(20)), LinkFailure(settingUp: error),
        ]
        for failure in failures {
            let message = failure.message
            for part in ["org.", "/", "le-", "0x", "Error"] {
                #expect(!message.contains(part), "\(message)")
            }
            #expect(failure.detail == error.description)
        }
    }

    @Test func timedOutConnectStatesItsDuration() {
        let failure = LinkFailure(connecting: Self.errors[0], took: .milliseconds(20_300))
        #expect(failure.message == "connect timed out after 20 s")
    }
}
