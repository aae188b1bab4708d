import Rowing
import TestSupport
import Testing

@testable import BlueZLink

/// Faults of adapters and of bluetoothd, on a real bus.
@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct RadioFaultTests {
    @Test func reconnectsAfterServiceIsKilled() async throws {
        // No signal, no removed object, no reply, as after SIGKILL.
        let (house, room) = try await Boathouse.streaming(ergs: 4)
        await house.control(#"{"cmd":"vanish","pm":4}"#)
        let connecting = await eventually {
            await room.snapshot().monitors.last?.status.phase == .connecting
        }
        #expect(connecting, "a Connect is under way when it happens")
        await house.control(#"{"cmd":"kill_service","back":1}"#)
        let others = try (1...3).map { try house.listener($0) }
        #expect(await eventually { others.allSatisfy { $0.openings == 2 && $0.isStreaming } })
        #expect(others.allSatisfy { $0.closures.count == 1 })
        // A radio may return and start its first scan after the links of the other one.
        let hasNoProblem = await eventually { await room.snapshot().problems.isEmpty }
        let problems = await room.snapshot().problems
        #expect(hasNoProblem, "\(problems)")
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func followsAdapterByAddress() async throws {
        // hci1 is unplugged and returns as hci0.
        let address = "B8:27:EB:00:00:02"
        let (house, room) = try await Boathouse.streaming(ergs: 2, adapters: "hci0:7,hci1:7") {
            $0.rules.adapters = [address]
        }
        let listeners = house.listeners.values
        for adapter in ["hci0", "hci1"] {
            await house.control("{\"cmd\":\"remove_adapter\",\"hci\":\"\(adapter)\"}")
        }
        #expect(await eventually { listeners.allSatisfy { !$0.now.isOpen } })
        #expect(listeners.allSatisfy { $0.closures.count == 1 })
        await house.control(#"{"cmd":"restore_adapter","hci":"hci1","as":"hci0"}"#)
        #expect(
            await eventually { listeners.allSatisfy { $0.openings == 2 && $0.isStreaming } })
        #expect(await room.snapshot().adapters.map(\.address) == [address])
        #expect(listeners.allSatisfy { $0.now.monitor?.adapter == "hci0" })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test(arguments: [1, 2])
    func learnsLimitFromReportOfFullRadio(slots: Int) async throws {
        // Also with a single slot.
        let house = try await Boathouse(
            ergs: slots + 1, adapters: "hci0:\(slots)", linkSpeed: 5)
        try await house.startService()
        await house.control("{\"cmd\":\"tell_limit\",\"hci\":\"hci0\",\"on\":true}")
        let room = house.makeRoom()
        await room.start()
        let reason = "hci0 holds \(slots) of \(slots) links"
        let parked = await eventually {
            house.listeners.values.contains { $0.now.status?.phase == .parked(.noSlot(reason)) }
        }
        #expect(parked)
        #expect(await eventually { house.listeners.values.count(where: \.isStreaming) == slots })
        let statuses = await room.snapshot().monitors.map(\.status)
        #expect(statuses.map(\.failures).sorted().last == 1, "one refusal is enough")
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func learnsLimitFromRemovedDevices() async throws {
        // bluetoothd removes monitors that exceed the slots, without a reply.
        let house = try await Boathouse(ergs: 4, adapters: "hci0:2")
        try await house.startService()
        let room = house.makeRoom()
        await room.start()
        let full = LinkPhase.parked(.noSlot("hci0 holds 2 of 2 links"))
        let parked = await eventually {
            house.listeners.values.count { $0.now.status?.phase == full } == 2
        }
        #expect(parked)
        #expect(await eventually { house.listeners.values.count(where: \.isStreaming) == 2 })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func stopDoesNotWaitForHungAdapters() async throws {
        let (house, room) = try await Boathouse.streaming(ergs: 8, adapters: "hci0:7,hci1:5")
        for adapter in ["hci0", "hci1"] {
            await house.control("{\"cmd\":\"freeze_adapter\",\"hci\":\"\(adapter)\"}")
        }
        await house.stop(room)
        #expect(house.listeners.values.allSatisfy { $0.closures == [.ours] })
        #expect(house.faults.isEmpty)
    }
}
