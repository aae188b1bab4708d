import Glibc
import PM5Codec
import SDBus
import TestSupport
import Testing

@testable import PM5Simulator

@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct BlueZCharacteristicTests {
    /// A room with monitor 1 connected and its services resolved.
    private func connected(
        workout: String = "just-row", speed: Double = 1, ergs: Int = 1
    ) async throws -> SimulatedRoom {
        try await .known(ergs: ergs, connected: ergs, workout: workout, speed: speed)
    }

    @Test func acquireNotifySendsOneValuePerPacket() async throws {
        let room = try await connected()
        let path = try await room.characteristic(.generalStatus)
        room.client.forgetSignals()
        let (descriptor, mtu) = try await room.client.acquire("AcquireNotify", path)
        defer { close(descriptor) }
        #expect(mtu == 23)
        var type: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size)
        #expect(type == Int32(SOCK_SEQPACKET.rawValue))
        #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        for _ in 1...2 { #expect(await packet(from: descriptor)?.count == 19) }
        let properties = try await room.client.managedObjects()[path]?[InterfaceName.characteristic]
        #expect(properties?["NotifyAcquired"] == .boolean(true))
        #expect(properties?["Notifying"] == .boolean(false))
        #expect(!room.client.signals.contains { $0.changed.keys.contains("Value") })
        await room.stop()
    }

    @Test func subscriptionErrorsMatchBluetoothd() async throws {
        let room = try await connected()
        let (client, interface) = (room.client, InterfaceName.characteristic)
        let acquired = try await room.characteristic(.generalStatus)
        let started = try await room.characteristic(.strokeData)
        let serial = try await room.characteristic(.serialNumber)
        let options: @Sendable (borrowing BusMessage) throws(BusError) -> Void = {
            message throws(BusError) in try message.append(properties: [:])
        }
        let (descriptor, _) = try await client.acquire("AcquireNotify", acquired)
        defer { close(descriptor) }
        let refused = "org.bluez.Error.NotPermitted: Notify acquired"
        #expect(
            await client.refusal(acquired, interface, "AcquireNotify", writing: options) == refused)
        #expect(await client.refusal(acquired, interface, "StartNotify") == refused)
        #expect(
            await client.refusal(started, interface, "StopNotify")
                == "org.bluez.Error.Failed: No notify session started")
        #expect(await client.refusal(started, interface, "StartNotify") == nil)
        #expect(await client.refusal(started, interface, "StartNotify") == nil)
        #expect(
            await client.refusal(started, interface, "AcquireNotify", writing: options)
                == "org.bluez.Error.InProgress: In Progress")
        let unsupported = "org.bluez.Error.NotSupported: Operation is not supported"
        #expect(await client.refusal(serial, interface, "StartNotify") == unsupported)
        #expect(
            await client.refusal(serial, interface, "AcquireNotify", writing: options)
                == unsupported)
        await room.control(#"{"cmd":"refuse_acquire","on":true}"#)
        let split = try await room.characteristic(.splitData)
        #expect(
            await client.refusal(split, interface, "AcquireNotify", writing: options)
                == unsupported)
        #expect(await client.refusal(split, interface, "StartNotify") == nil)
        await room.stop()
    }

    @Test func startNotifySendsSignalsUntilClientLeaves() async throws {
        let room = try await connected()
        let path = try await room.characteristic(.generalStatus)
        let other = try await BlueZClient(room.bus)
        try await other.call(path, InterfaceName.characteristic, "StartNotify")
        #expect(await room.client.saw { $0.changed["Notifying"] == .boolean(true) })
        #expect(await room.client.saw { $0.path == path && $0.changed["Value"] != nil })
        await other.stop()
        #expect(await room.client.saw { $0.changed["Notifying"] == .boolean(false) })
        #expect(await eventually { await room.subscribed().isEmpty })
        await room.stop()
    }

    @Test func socketsEndWithTheLink() async throws {
        let room = try await connected()
        let path = try await room.characteristic(.generalStatus)
        let (descriptor, _) = try await room.client.acquire("AcquireNotify", path)
        defer { close(descriptor) }
        room.client.forgetSignals()
        await room.control(#"{"cmd":"drop","pm":1}"#)
        #expect(await ends(descriptor))
        #expect(
            await room.client.saw {
                $0.path == path && $0.changed == ["NotifyAcquired": .boolean(false)]
            })
        #expect(
            await room.client.saw {
                $0.changed
                    == ["Connected": .boolean(false), "ServicesResolved": .boolean(false)]
            })
        #expect(
            await room.client.refusal(path, InterfaceName.characteristic, "StartNotify")
                == "org.bluez.Error.Failed: Not connected")
        try await room.connect()
        #expect(await room.subscribed().isEmpty)
        let (secondAttempt, _) = try await room.client.acquire("AcquireNotify", path)
        #expect(await packet(from: secondAttempt)?.count == 19)
        close(secondAttempt)
        await room.stop()
    }

    @Test func closingASocketUnsubscribes() async throws {
        let room = try await connected()
        let path = try await room.characteristic(.generalStatus)
        let (descriptor, _) = try await room.client.acquire("AcquireNotify", path)
        #expect(await room.subscribed() == [.generalStatus])
        close(descriptor)
        #expect(await eventually { await room.subscribed().isEmpty })
        let (secondAttempt, _) = try await room.client.acquire("AcquireNotify", path)
        close(secondAttempt)
        await room.stop()
    }

    @Test func readsAndWritesCharacteristics() async throws {
        // Monitor 2 accepts only writes with response. The sample rate is reset by a new link.
        let room = try await connected(ergs: 2)
        let client = room.client
        let serial = try await room.characteristic(.serialNumber)
        #expect(try await client.read(serial) == Array("430000001".utf8))
        let rate = try await room.characteristic(.sampleRate)
        #expect(try await client.read(rate) == [1])
        try await client.write([3], rate)
        #expect(try await client.read(rate) == [3])
        let status = try await room.characteristic(.generalStatus)
        await #expect { try await client.read(status) } throws: {
            ($0 as? BusError)?.name == "org.bluez.Error.NotPermitted"
        }
        await #expect { try await client.write([0], serial) } throws: {
            ($0 as? BusError)?.name == "org.bluez.Error.NotSupported"
        }
        let (writer, mtu) = try await client.acquire(
            "AcquireWrite", room.characteristic(.csafeIn))
        #expect(mtu == 23)
        close(writer)
        let withResponse = try await room.characteristic(.csafeIn, of: 2)
        await #expect { try await client.acquire("AcquireWrite", withResponse) } throws: {
            ($0 as? BusError)?.name == "org.bluez.Error.NotSupported"
        }
        try await client.write([0xF1, 0x00, 0xF2], withResponse, type: "command")
        await room.control(#"{"cmd":"drop","pm":1}"#)
        try await room.connect()
        #expect(try await client.read(rate) == [1])
        await room.stop()
    }

    @Test func dropsPacketsOfSlowReader() async throws {
        let room = try await connected()
        let path = try await room.characteristic(.generalStatus)
        let (descriptor, _) = try await room.client.acquire("AcquireNotify", path)
        defer { close(descriptor) }
        for _ in 1...20 { await room.control(#"{"cmd":"garbage","id":"31","n":50}"#) }
        let dropped = await room.service.droppedCount(of: 1)
        #expect(dropped > 100)
        await room.stop()
    }

    @Test func hangAndMuteKeepTheLink() async throws {
        let room = try await connected(speed: 10)
        var descriptors: [CharacteristicID: Int32] = [:]
        for id in [CharacteristicID.generalStatus, .additionalStatus1] {
            descriptors[id] = try await room.client.acquire(
                "AcquireNotify", room.characteristic(id)
            ).0
        }
        defer { for descriptor in descriptors.values { close(descriptor) } }
        let (first, second) = try #require(
            descriptors[.generalStatus].flatMap { first in
                descriptors[.additionalStatus1].map { (first, $0) }
            })
        await room.control(#"{"cmd":"mute","id":"31","on":true}"#)
        await drain(first)
        #expect(await packet(from: second)?.count == 17)
        #expect(await drain(first) == 0)
        await room.control(#"{"cmd":"hang","on":true}"#)
        await drain(second)
        try await Task.sleep(for: .milliseconds(200))
        #expect(await drain(second) == 0)
        #expect(
            await room.property(room.device(), InterfaceName.device, "Connected")
                == .boolean(true))
        await room.control(#"{"cmd":"hang","on":false}"#)
        #expect(await packet(from: second)?.count == 17)
        await room.stop()
    }

    @Test(arguments: [CharacteristicID.multiplexed, .strokeData])
    func starvedMonitorSendsNoTimedValues(_ carrier: CharacteristicID) async throws {
        let room = try await connected(speed: 10)
        var descriptors: [Int32] = []
        for id in [carrier, .additionalStatus1] {
            descriptors.append(
                try await room.client.acquire("AcquireNotify", room.characteristic(id)).0)
        }
        defer { for descriptor in descriptors { close(descriptor) } }
        if carrier != .multiplexed {
            // The rower waits for a subscription to the status.
            descriptors.append(
                try await room.client.acquire(
                    "AcquireNotify", room.characteristic(.generalStatus)
                ).0)
        }
        await room.control(#"{"cmd":"starve","on":true}"#)
        for descriptor in descriptors { await drain(descriptor) }
        for _ in 1...8 {
            let value = try #require(await packet(from: descriptors[0]))
            if carrier == .multiplexed { #expect(![0x31, 0x33, 0x3E].contains(value[0])) }
        }
        for descriptor in descriptors.dropFirst() { #expect(await drain(descriptor) == 0) }
        await room.control(#"{"cmd":"starve","on":false}"#)
        #expect(await packet(from: descriptors[1])?.count == 17)
        await room.stop()
    }

    /// Empties a socket and returns the number of packets.
    @discardableResult
    private func drain(_ descriptor: Int32) async -> Int {
        var buffer = [UInt8](repeating: 0, count: 64)
        var count = 0
        while recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 { count += 1 }
        return count
    }
}

extension SimulatedRoom {
    /// The subscriptions of a monitor.
    func subscribed(_ number: Int = 1) async -> Set<CharacteristicID> {
        await service.subscriptions(of: number)
    }
}

extension BlueZService {
    fileprivate func subscriptions(of number: Int) -> Set<CharacteristicID> {
        radios[number - 1].monitor.subscriptions
    }

    fileprivate func droppedCount(of number: Int) -> Int { radios[number - 1].counters.dropped }
}
