import TestSupport
import Testing

@testable import BlueZLink

@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct RoomLinkTests {
    @Test func streamsEightErgsOnTwoAdapters() async throws {
        let house = try await Boathouse(ergs: 8, adapters: "hci0:7,hci1:5")
        try await house.startService()
        let room = house.makeRoom()
        await room.start()
        #expect(await house.allStream())
        let snapshot = await room.snapshot()
        #expect(snapshot.isServicePresent)
        #expect(snapshot.problems.isEmpty)
        // Half each; on a busy machine one monitor may be seen by one radio only.
        #expect(snapshot.adapters.allSatisfy { (3...5).contains($0.linksUsed) })
        #expect(snapshot.adapters.reduce(0) { $0 + $1.linksUsed } == 8)
        #expect(snapshot.monitors.allSatisfy { $0.status.phase == .streaming })
        #expect(
            await eventually { await !room.snapshot().adapters.contains(where: \.isDiscovering) })
        let monitor = try #require(try house.listener(3).now.monitor)
        #expect(monitor.serial == Boathouse.serial(3))
        #expect(monitor.manufacturer == "Concept2")
        #expect(monitor.notifying.contains(.strokeData))
        #expect(Set(snapshot.sightings.map(\.serial)) == Set((1...8).map(Boathouse.serial)))
        #expect(snapshot.sightings.allSatisfy { $0.rssi != nil })
        await room.stop()
        #expect(house.listeners.values.allSatisfy { $0.closures == [.ours] })
        #expect(await !house.control(#"{"cmd":"state"}"#).contains(#""connected":true"#))
        #expect(house.faults.isEmpty)
        // Where a link begins and ends are the station's lines to write. On a busy machine an adapter
        // may not answer in time, which is the room's.
        let ofAdapters = ["bluez: switching hci", "bluez: all Bluetooth problems are resolved"]
        #expect(house.logged().filter { !ofAdapters.contains(where: $0.hasPrefix) } == [])
        await house.service.stop()
    }

    @Test func stopWaitsForPendingConnect() async throws {
        // A connect takes 0.3 to 0.5 s.
        let house = try await Boathouse(ergs: 1, adapters: "hci0:7")
        try await house.startService()
        let room = house.makeRoom()
        await room.start()
        let begun = await eventually {
            switch await room.snapshot().monitors.first?.status.phase {
            case nil, .searching, .waiting: false
            default: true
            }
        }
        #expect(begun)
        await room.stop()
        let isFound = await eventually {
            let state = await house.control(#"{"cmd":"state"}"#)
            return state.contains(#""advertising":true"#)
        }
        #expect(isFound)
        #expect(await house.control(#"{"cmd":"state"}"#).contains(#""connections":1"#))
        await house.service.stop()
    }
}
