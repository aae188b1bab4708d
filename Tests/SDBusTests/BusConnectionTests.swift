import HostRuntime
import SDBus
import TestSupport
import Testing

@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct BusConnectionTests {
    @Test func callIsServedAndAnswered() async throws {
        let bus = try await PrivateBus()
        let server = BusConnection(on: SerialQueueExecutor(label: "server"))
        try await server.start(address: bus.address) { _ in }
        try await server.serve { invocation in
            guard invocation.member == "Echo" else { return false }
            do throws(BusError) {
                let properties = try invocation.message.readProperties()
                try invocation.reply { message throws(BusError) in
                    try message.append(properties: properties)
                }
            } catch {
                Issue.record(error)
            }
            return true
        }
        try await server.requestName("org.example.Echo")

        let client = BusConnection(on: SerialQueueExecutor(label: "client"))
        try await client.start(address: bus.address) { _ in }
        let sent: BusProperties = [
            "Text": .string("héllo"), "Rssi": .int16(-61),
            "Flags": .array([.string("notify")], of: "s"),
            "Nothing": .array([], of: "o"), "Value": .bytes([0, 0xF1]),
            "Nested": .dictionary(["a": .boolean(true)]),
            "Manufacturer": .numberedDictionary([0x004C: .bytes([1, 2])]),
        ]
        let received = try await client.call(
            "org.example.Echo", "/any/path", "org.example.Echo", "Echo",
            writing: { message throws(BusError) in try message.append(properties: sent) },
            reading: { message throws(BusError) in try message.readProperties() })
        #expect(received == sent)
        await client.stop()
        await server.stop()
    }

    @Test(.timeLimit(.minutes(30)))
    func connectsInQuickSuccession() async throws {
        let bus = try await PrivateBus()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in 1...8 {
                group.addTask {
                    for number in 1...300 {
                        try await Self.callOnce(bus, label: "test.\(queue).\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func callOnce(_ bus: PrivateBus, label: String) async throws {
        let connection = BusConnection(on: SerialQueueExecutor(label: label))
        try await connection.start(address: bus.address) { _ in }
        try await connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping",
            timeout: .seconds(60))
        await connection.stop()
    }
}
