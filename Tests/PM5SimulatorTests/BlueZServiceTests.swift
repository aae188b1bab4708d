import Glibc
import PM5Codec
import SDBus
import TestSupport
import Testing

@testable import PM5Simulator

/// Each test holds the service against what bluez 5.82 was seen to do, over a real dbus-daemon.
@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct BlueZServiceTests {
    private static let adapter = "/org/bluez/hci0"

    // MARK: - Adapter

    @Test func discoveryErrorsMatchBluetoothd() async throws {
        let room = try await SimulatedRoom()
        let client = room.client
        try await client.set(Self.adapter, InterfaceName.adapter, "Powered", .boolean(false))
        #expect(
            await client.refusal(Self.adapter, InterfaceName.adapter, "StartDiscovery")
                == "org.bluez.Error.NotReady: Resource Not Ready")
        client.forgetSignals()
        try await client.set(Self.adapter, InterfaceName.adapter, "Powered", .boolean(true))
        #expect(await client.saw { $0.changed["Powered"] == .boolean(true) })
        #expect(
            await client.refusal(Self.adapter, InterfaceName.adapter, "StopDiscovery")
                == "org.bluez.Error.Failed: No discovery started")
        try await client.call(Self.adapter, InterfaceName.adapter, "StartDiscovery")
        #expect(
            await client.refusal(Self.adapter, InterfaceName.adapter, "StartDiscovery")
                == "org.bluez.Error.InProgress: Operation already in progress")
        #expect(
            await client.refusal(Self.adapter, InterfaceName.adapter, "ConnectDevice")
                == "org.freedesktop.DBus.Error.UnknownMethod: Method \"ConnectDevice\" with "
                + "signature \"\" on interface \"org.bluez.Adapter1\" doesn't exist")
        #expect(
            await client.refusal("/org/bluez/hci7", InterfaceName.adapter, "StartDiscovery")?
                .hasPrefix("org.freedesktop.DBus.Error.UnknownObject: ") == true)
        await room.stop()
    }

    @Test func knownDeviceChangesOnlyItsRSSI() async throws {
        let room = try await SimulatedRoom.known(ergs: 3)
        let device = room.device(2)
        #expect(await room.client.saw { $0.path == device && $0.names == ["RSSI"] })
        #expect(await room.property(device, InterfaceName.device, "RSSI") == nil)
        room.client.forgetSignals()
        try await room.client.call(Self.adapter, InterfaceName.adapter, "StartDiscovery")
        #expect(await room.client.saw { $0.path == device && $0.changed.keys.contains("RSSI") })
        #expect(!room.client.signals.contains { $0.member == "InterfacesAdded" })
        await room.stop()
    }

    @Test func filterForOtherServiceFindsNothing() async throws {
        // The scan response does not contain the rowing service.
        let room = try await SimulatedRoom()
        try await room.client.call(
            Self.adapter, InterfaceName.adapter, "SetDiscoveryFilter"
        ) { message throws(BusError) in
            let wrong = BusValue.array([.string(PM5UUID.text(.rowingService))], of: "s")
            try message.append(properties: ["UUIDs": wrong, "Transport": .string("le")])
        }
        try await room.client.call(Self.adapter, InterfaceName.adapter, "StartDiscovery")
        try await Task.sleep(for: .milliseconds(300))
        #expect(!room.client.signals.contains { $0.member == "InterfacesAdded" })
        await room.stop()
    }

    @Test func discoveryEndsWithItsClient() async throws {
        let room = try await SimulatedRoom.known()
        room.client.forgetSignals()
        let other = try await BlueZClient(room.bus)
        try await other.call(room.device(), InterfaceName.device, "Connect")
        try await other.call(Self.adapter, InterfaceName.adapter, "StartDiscovery")
        await other.stop()
        #expect(await room.client.saw { $0.changed["Discovering"] == .boolean(false) })
        #expect(
            await room.property(room.device(), InterfaceName.device, "Connected")
                == .boolean(true))
        await room.stop()
    }

    // MARK: - Connecting

    @Test func connectAnswersBeforeTheServices() async throws {
        // On the next link no object is announced again.
        let room = try await SimulatedRoom.known()
        room.client.forgetSignals()
        let device = room.device()
        let before = try await room.client.signalsBeforeAnswer(
            device, InterfaceName.device, "Connect")
        #expect(!before.contains { $0.changed.keys.contains("ServicesResolved") })
        #expect(await room.client.saw { $0.changed["ServicesResolved"] == .boolean(true) })
        let signals = room.client.signals.filter { $0.path.hasPrefix(device) }
        #expect(signals.first?.changed == ["Connected": .boolean(true)])
        #expect(Set(signals.last?.changed.keys ?? [:].keys) == ["ServicesResolved", "UUIDs"])
        let added = signals.filter { $0.member == "InterfacesAdded" }
        #expect(added.count == signals.count - 2)
        #expect(added.count { $0.names.contains(InterfaceName.characteristic) } == 29)

        try await room.client.call(device, InterfaceName.device, "Disconnect")
        #expect(
            await room.client.saw {
                $0.changed
                    == ["Connected": .boolean(false), "ServicesResolved": .boolean(false)]
            })
        room.client.forgetSignals()
        try await room.connect()
        #expect(!room.client.signals.contains { $0.member == "InterfacesAdded" })
        await room.stop()
    }

    @Test func connectErrorsMatchBluetoothd() async throws {
        // An unanswered Connect ends after 13 s.
        let room = try await SimulatedRoom.known(linkSpeed: 3)
        let (client, device) = (room.client, room.device())
        #expect(
            await client.refusal(device, InterfaceName.device, "Disconnect")
                == "org.bluez.Error.NotConnected: Not Connected")
        await room.control(#"{"cmd":"vanish"}"#)
        async let pending = client.refusal(device, InterfaceName.device, "Connect")
        _ = await eventually { await room.isConnecting(1) }
        #expect(
            await client.refusal(device, InterfaceName.device, "Connect")
                == "org.bluez.Error.InProgress: In Progress")
        #expect(await pending == "org.bluez.Error.Failed: le-connection-abort-by-local")

        async let canceled = client.refusal(device, InterfaceName.device, "Connect")
        _ = await eventually { await room.isConnecting(1) }
        #expect(await client.refusal(device, InterfaceName.device, "Disconnect") == nil)
        #expect(await canceled == "org.bluez.Error.Failed: br-connection-canceled")

        async let waiting = client.refusal(device, InterfaceName.device, "Connect")
        _ = await eventually { await room.isConnecting(1) }
        await room.control(#"{"cmd":"vanish","back":0}"#)
        #expect(await waiting == nil)
        #expect(await client.refusal(device, InterfaceName.device, "Connect") == nil)
        await room.stop()
    }

    @Test func refusedLinkShowsConnectedAndAbortedDoesNot() async throws {
        // A refused link is error 0x3e.
        let room = try await SimulatedRoom.known()
        let (client, device) = (room.client, room.device())
        await room.control(#"{"cmd":"refuse","n":1}"#)
        client.forgetSignals()
        let refusal = await client.refusal(device, InterfaceName.device, "Connect")
        #expect(refusal?.hasPrefix("org.bluez.Error.Failed: ") == true)
        let connected = client.signals.compactMap { $0.changed["Connected"] }
        #expect(connected == [.boolean(true), .boolean(false)])
        await room.control(#"{"cmd":"abort","n":2}"#)
        client.forgetSignals()
        for _ in 1...2 {
            #expect(
                await client.refusal(device, InterfaceName.device, "Connect")
                    == "org.bluez.Error.Failed: le-connection-abort-by-local")
        }
        #expect(!client.signals.contains { $0.changed.keys.contains("Connected") })
        #expect(await client.refusal(device, InterfaceName.device, "Connect") == nil)
        await room.stop()
    }

    @Test func monitorServesOneCentralAndAdapterHasLimit() async throws {
        // A full adapter removes the device without an answer, or reports its limit.
        let room = try await SimulatedRoom(ergs: 3, adapters: "hci0:2,hci1:5", linkSpeed: 5)
        // Trusted for the duration of the test, except the device to be removed.
        for (adapter, kept) in [("hci0", [1, 2]), ("hci1", [1, 3])] {
            try await room.scan(3, on: adapter)
            for number in kept { try await room.trust(number, on: adapter) }
            try await room.stopScan(on: adapter)
        }
        let elsewhere = room.device(1, on: "hci1")
        try await room.connect(1)
        try await room.connect(2)
        let third = room.device(3)
        // Seen until it asks: a device that was not seen for 30 s is forgotten for that.
        try await room.scan(3)
        room.client.forgetSignals()
        let unanswered = Task {
            try await room.client.connection.call(
                "org.bluez", third, InterfaceName.device, "Connect", timeout: .seconds(2))
        }
        #expect(await room.client.saw { $0.member == "InterfacesRemoved" && $0.path == third })
        await #expect { try await unanswered.value } throws: {
            ($0 as? BusError)?.errno == ETIMEDOUT
        }
        // The scan continues, and detects it again.
        let isKnown = await eventually {
            await room.property(third, InterfaceName.device, "Address") != nil
        }
        #expect(isKnown)
        await room.control(#"{"cmd":"tell_limit","hci":"hci0","on":true}"#)
        #expect(
            await room.client.refusal(third, InterfaceName.device, "Connect")
                == "org.bluez.Error.Failed: le-connection-concurrent-connection-limit")
        try await room.stopScan()
        try await room.connect(3, on: "hci1")
        #expect(
            await room.client.refusal(elsewhere, InterfaceName.device, "Connect")
                == "org.bluez.Error.Failed: le-connection-abort-by-local")
        await room.stop()
    }

    @Test func removesUntrustedDevicesAfter30Seconds() async throws {
        let room = try await SimulatedRoom.known(ergs: 2, linkSpeed: 5)
        let (client, forgotten, kept) = (room.client, room.device(1), room.device(2))
        try await room.connect(1)
        try await room.trust(1, false)
        let below = try await client.managedObjects().keys.filter { $0.hasPrefix(forgotten) }
        try await client.call(forgotten, InterfaceName.device, "Disconnect")
        #expect(await client.saw { $0.member == "InterfacesRemoved" && $0.path == forgotten })
        let removed = client.signals.filter { $0.member == "InterfacesRemoved" }.map(\.path)
        #expect(removed.last == forgotten && Set(removed) == Set(below))
        #expect(
            await client.refusal(forgotten, InterfaceName.device, "Connect")
                == "org.freedesktop.DBus.Error.UnknownObject: Method \"Connect\" with signature "
                + "\"\" on interface \"org.bluez.Device1\" doesn't exist")
        #expect(await client.refusal(kept, InterfaceName.device, "Connect") == nil)
        try await client.call(Self.adapter, InterfaceName.adapter, "RemoveDevice") {
            message throws(BusError) in try message.append(objectPath: kept)
        }
        #expect(try await client.managedObjects()[kept] == nil)
        await room.stop()
    }
}

extension SimulatedRoom {
    /// Whether a Connect call on a monitor waits for its answer.
    func isConnecting(_ number: Int) async -> Bool {
        await service.hasPendingConnect(number)
    }
}

extension BlueZService {
    fileprivate func hasPendingConnect(_ number: Int) -> Bool {
        adapters.contains { $0.devices[number]?.pendingConnect != nil }
    }
}
