import HostRuntime
import PM5Codec
import SDBus
import TestSupport
import Testing

@testable import BlueZLink
@testable import PM5Simulator
@testable import Relay

/// A relay on a private bus, between the simulated bluetoothd with its phones and the link of a monitor.
@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct PhoneRelayTests {
    private static func text(_ id: UInt16) -> String { PM5UUID.text(.init(rawValue: id)) }
    private static let rowing: [UInt16] = [0x31, 0x32, 0x33, 0x35, 0x36, 0x3D]

    /// A room whose first monitor is relayed through `hci1`.
    private static func relaying(
        ergs: Int = 1, generation: MonitorGeneration = .new,
        _ adjust: (inout RoomLinkConfiguration) -> Void = { _ in }
    ) async throws -> (Boathouse, RoomLink) {
        let house = try await Boathouse(
            ergs: ergs, adapters: "hci0:7,hci1:5", workout: "just-row", generation: generation)
        try await house.startService()
        let adapter = RelayAdapter("hci1")
        let room = house.makeRoom {
            $0.relays = [RelayConfiguration(adapter: adapter, serial: Boathouse.serial(1))]
            $0.rules.relayAdapters = [adapter]
            adjust(&$0)
        }
        await room.start()
        guard await eventually({ await house.service.advertisement(of: "hci1") != nil }) else {
            let statuses = await room.snapshot().relays
            throw TestSupportError("no advertisement: \(statuses) \(house.logged())")
        }
        return (house, room)
    }

    private static func connect(_ house: Boathouse) async throws {
        guard await eventually({ await house.service.connectPhone(to: "hci1") }) else {
            throw TestSupportError("the phone did not connect")
        }
    }

    /// Whether `part` occurs in `whole` without a gap.
    private static func isSlice(_ part: [[UInt8]], of whole: [[UInt8]]) -> Bool {
        guard let first = part.first else { return true }
        return whole.indices.filter { whole[$0] == first }.contains {
            Array(whole[$0...].prefix(part.count)) == part
        }
    }

    /// What ErgData does after connecting, as a relay recorded it.
    private static func beginLikeErgData(_ house: Boathouse) async throws {
        let service = house.service
        for id: UInt16 in [0x11, 0x12, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x22] {
            _ = try await service.read(text(id))
        }
        try await service.subscribe(text(0x22))
        for id in [0x31, 0x32, 0x33, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x80] as [UInt16] {
            try await service.subscribe(text(id))
        }
        try await service.write([2, 0, 0, 0, 0, 0, 0, 0], to: text(0x34))
        try await service.write([2, 0, 0, 0, 0, 0, 0, 0], to: text(0x34))
        for command: UInt8 in [0x91, 0x94, 0x92] {
            try await service.write([0xF1, command, command, 0xF2], to: text(0x21))
        }
    }

    // MARK: - The monitor

    @Test func presentsTheMonitorAsItIs() async throws {
        let (house, room) = try await Self.relaying()
        let advertisement = try #require(await house.service.advertisement(of: "hci1"))
        #expect(advertisement.alias == "PM5 430000001")
        #expect(advertisement.properties["LocalName"]?.string == "PM5 430000001 Row")
        #expect(advertisement.properties["ServiceUUIDs"]?.strings == [PM5UUID.text(.discovery)])
        #expect(
            advertisement.properties["ServiceData"]?.dictionary?[RelayTable.text(0x1826)]?.bytes
                == [0x01, 0x10, 0x00])
        #expect(BlueZService.length(of: advertisement.properties) == 31)
        #expect(await !house.service.isRelayPairable)

        try await Self.connect(house)
        let layout = await house.service.layout
        let own = layout.services.dropFirst().flatMap(\.characteristics)
        let seen = await house.service.attributes()
        #expect(Set(seen.map(\.uuid)) == Set(own.map(\.uuid)))
        for characteristic in own {
            let copy = try #require(seen.first { $0.uuid == characteristic.uuid })
            #expect(copy.flags == characteristic.flags)
        }
        let identity = await house.service.identity
        for id: UInt16 in 0x11...0x18 {
            let value = try await house.service.read(Self.text(id))
            #expect(value == identity.value(of: CharacteristicID(rawValue: id)))
        }
        #expect(try await house.service.read(Self.text(0x34)) == [1])
        #expect(try await house.service.read(FitnessMachine.featureUUID).count == 8)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func copiesEveryNotificationInOrder() async throws {
        let (house, room) = try await Self.relaying()
        let listener = try house.listener(1)
        try await Self.connect(house)
        try await Self.beginLikeErgData(house)
        try await house.service.subscribe(Self.text(0x3D))
        let isEnough = await eventually(within: .seconds(120)) {
            let strokes = await house.service.received(Self.text(0x35)).count
            let statuses = await house.service.received(Self.text(0x31)).count
            return strokes >= 8 && statuses >= 40
        }
        #expect(isEnough)
        for id in Self.rowing {
            let copies = await house.service.received(Self.text(id))
            // The station gets each value after the phone.
            let isComplete = await eventually {
                Self.isSlice(copies, of: listener.now.values[.init(rawValue: id), default: []])
            }
            #expect(isComplete, "\(id)")
            #expect(!copies.isEmpty, "\(id)")
        }
        #expect(listener.closures.isEmpty)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func phoneGetsItsRepliesAndTheStationDoesNot() async throws {
        let (house, room) = try await Self.relaying()
        let listener = try house.listener(1)
        try await Self.connect(house)
        let before = listener.now.values[.csafeOut, default: []].count
        try await Self.beginLikeErgData(house)
        let hasReplies = await eventually {
            let bytes = await house.service.received(Self.text(0x22)).flatMap(\.self)
            return bytes.count { $0 == 0xF2 } >= 3
        }
        #expect(hasReplies)
        var parser = FrameParser()
        let bytes = await house.service.received(Self.text(0x22)).flatMap(\.self)
        let frames = parser.consume(bytes).compactMap { event -> Frame? in
            if case .frame(let frame) = event { frame } else { nil }
        }
        #expect(frames.compactMap { $0.contents.dropFirst().first } == [0x91, 0x94, 0x92])
        #expect(listener.now.values[.csafeOut, default: []].count == before)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func fastestSampleRateWinsAndIsRestored() async throws {
        let (house, room) = try await Self.relaying()
        try await Self.connect(house)
        // Eight bytes, which the monitor itself rejects.
        try await house.service.write([2, 0, 0, 0, 0, 0, 0, 0], to: Self.text(0x34))
        #expect(try await house.service.read(Self.text(0x34)) == [2])
        try await house.service.write([0], to: Self.text(0x34))
        #expect(try await house.service.read(Self.text(0x34)) == [1])
        try await house.service.write([3], to: Self.text(0x34))
        let link = try #require(try house.listener(1).now.link)
        try await link.write([0], to: .sampleRate)
        #expect(try await house.service.read(Self.text(0x34)) == [3])
        await house.service.disconnectPhone()
        let isRestored = await eventually {
            await house.service.sampleRate == [0]
        }
        #expect(isRestored)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func phoneWithOnlyTheMultiplexedCharacteristicGetsAllValues() async throws {
        let (house, room) = try await Self.relaying()
        try await Self.connect(house)
        try await house.service.subscribe(Self.text(0x80))
        let isEnough = await eventually(within: .seconds(120)) {
            let ids = Set(await house.service.received(Self.text(0x80)).compactMap(\.first))
            return ids.isSuperset(of: [0x31, 0x32, 0x33, 0x35, 0x36])
        }
        #expect(isEnough)
        // Those that the phone subscribes itself come there alone.
        try await house.service.subscribe(Self.text(0x31))
        #expect(await eventually { await house.service.received(Self.text(0x31)).count >= 2 })
        let count = await house.service.received(Self.text(0x80)).count { $0.first == 0x31 }
        #expect(await eventually { await house.service.received(Self.text(0x31)).count >= 5 })
        #expect(await house.service.received(Self.text(0x80)).count { $0.first == 0x31 } == count)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func subscribesOnDemandWhatRowgateDoesNotHold() async throws {
        let (house, room) = try await Self.relaying { $0.carrier = .multiplexed }
        try await Self.connect(house)
        #expect(await house.service.subscriptions == [.csafeOut, .multiplexed])
        try await house.service.subscribe(Self.text(0x31))
        try await house.service.subscribe(FitnessMachine.rowerDataUUID)
        #expect(await eventually { await house.service.received(Self.text(0x31)).count >= 3 })
        #expect(
            await eventually { await house.service.received(FitnessMachine.rowerDataUUID).count >= 3 })
        let listener = try house.listener(1)
        #expect(listener.now.values[.generalStatus]?.isEmpty == false, "the station gets them too")
        #expect(await house.service.subscriptions == [.csafeOut, .multiplexed, .generalStatus])
        await house.service.disconnectPhone()
        let isDropped = await eventually {
            await house.service.subscriptions == [.csafeOut, .multiplexed]
        }
        #expect(isDropped)
        #expect(listener.closures.isEmpty)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func makesAFitnessMachineForAnOldMonitor() async throws {
        let (house, room) = try await Self.relaying(generation: .old) {
            $0.relays = $0.relays.map {
                RelayConfiguration(adapter: $0.adapter, serial: $0.serial, makesFitnessMachine: true)
            }
        }
        let service = house.service
        let advertisement = try #require(await service.advertisement(of: "hci1"))
        #expect(
            advertisement.properties["ServiceData"]?.dictionary?[FitnessMachineValues.serviceUUID]?.bytes
                == [0x01, 0x10, 0x00])
        try await Self.connect(house)
        #expect(try await service.read(FitnessMachineValues.featureUUID) == FitnessMachineValues.feature)

        try await service.subscribe(FitnessMachineValues.controlPointUUID)
        try await service.write([0x00], to: FitnessMachineValues.controlPointUUID)
        try await service.write([0x07], to: FitnessMachineValues.controlPointUUID)
        let isAnswered = await eventually {
            await service.received(FitnessMachineValues.controlPointUUID) == [[0x80, 0, 1], [0x80, 7, 2]]
        }
        #expect(isAnswered)

        try await service.subscribe(FitnessMachineValues.rowerDataUUID)
        let isRowing = await eventually(within: .seconds(120)) {
            let last = await service.received(FitnessMachineValues.rowerDataUUID).last ?? []
            return last.count == 20 && last[3] > 0 && last[5] > 0
        }
        #expect(isRowing, "a stroke and its distance")
        await service.disconnectPhone()
        try await Self.connect(house)
        try await service.subscribe(FitnessMachineValues.rowerDataUUID)
        #expect(await eventually { await service.received(FitnessMachineValues.rowerDataUUID).count >= 2 })
        #expect(try house.listener(1).closures.isEmpty)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    // MARK: - Failures

    @Test func hundredReconnectsFindTheSameHandles() async throws {
        let (house, room) = try await Self.relaying()
        var tables: Set<String> = []
        for round in 1...100 {
            try await Self.connect(house)
            let table = await house.service.attributes().map { "\($0.uuid) \($0.handle)" }
            #expect(table.count > 20)
            tables.insert(table.joined(separator: ","))
            if round % 10 == 0 {
                try await house.service.subscribe(Self.text(0x31))
                #expect(await eventually { await house.service.received(Self.text(0x31)).count >= 1 })
            }
            await house.service.disconnectPhone()
        }
        #expect(tables.count == 1)
        #expect(await house.service.registrations(on: "hci1") == 1)
        #expect(try house.listener(1).closures.isEmpty)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func endsWithTheMonitorAndReturnsWithIt() async throws {
        let (house, room) = try await Self.relaying()
        try await Self.connect(house)
        let table = await house.service.attributes()
        await house.control(#"{"cmd":"vanish","back":1}"#)
        #expect(await eventually { await !house.service.isPhoneConnected() })
        #expect(await eventually { await house.service.advertisement(of: "hci1") != nil })
        try await Self.connect(house)
        #expect(await house.service.attributes() == table)
        try await house.service.subscribe(Self.text(0x31))
        #expect(await eventually { await house.service.received(Self.text(0x31)).count >= 2 })
        await house.stop(room)
    }

    @Test func returnsAfterARestartOfBluetoothd() async throws {
        let (house, room) = try await Self.relaying()
        try await Self.connect(house)
        let table = await house.service.attributes()
        await house.control(#"{"cmd":"restart_service"}"#)
        #expect(await eventually { await !house.service.isPhoneConnected() })
        #expect(await eventually { await house.service.advertisement(of: "hci1") != nil })
        #expect(await house.service.registrations(on: "hci1") == 2)
        try await Self.connect(house)
        #expect(await house.service.attributes() == table)
        await house.control(#"{"cmd":"kill_service","back":1}"#)
        #expect(await eventually { await house.service.registrations(on: "hci1") == 3 })
        #expect(await eventually { await house.service.advertisement(of: "hci1") != nil })
        await house.stop(room)
    }

    @Test func returnsWithItsAdapter() async throws {
        let (house, room) = try await Self.relaying()
        try await Self.connect(house)
        await house.control(#"{"cmd":"remove_adapter","hci":"hci1"}"#)
        #expect(await eventually { await room.snapshot().relays.first?.state == .adapterMissing })
        #expect(try house.listener(1).closures.isEmpty)
        await house.control(#"{"cmd":"restore_adapter","hci":"hci1"}"#)
        #expect(await eventually { await house.service.advertisement(of: "hci1") != nil })
        #expect(await room.snapshot().relays.first?.state == .advertising)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    /// As seen with bluetoothd 5.82: the phone is gone before the adapter is, and the call that advertises again
    /// is never answered.
    @Test func returnsWithItsAdapterWhileACallIsUnanswered() async throws {
        let (house, room) = try await Self.relaying()
        try await Self.connect(house)
        await house.control(#"{"cmd":"freeze_adapter","hci":"hci1"}"#)
        await house.service.disconnectPhone()
        #expect(await eventually { await room.snapshot().relays.first?.state != .connected })
        await house.control(#"{"cmd":"remove_adapter","hci":"hci1"}"#)
        #expect(await eventually { await room.snapshot().relays.first?.state == .adapterMissing })
        await house.control(#"{"cmd":"restore_adapter","hci":"hci1"}"#)
        // Less than the time limit of the call.
        let isBack = await eventually(within: .seconds(15)) {
            await room.snapshot().relays.first?.state == .advertising
        }
        #expect(isBack)
        await house.stop(room)
    }

    @Test func secondPhoneIsSentAway() async throws {
        let (house, room) = try await Self.relaying()
        try await Self.connect(house)
        #expect(await house.service.connectPhone("second", to: "hci1") == false)
        #expect(await house.service.connectPhone("second", to: "hci1", isLate: true))
        #expect(await eventually { await !house.service.isPhoneConnected("second") })
        #expect(await house.service.isPhoneConnected())
        #expect(await room.snapshot().relays.first?.state == .connected)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func movesToAnotherMonitor() async throws {
        let (house, room) = try await Self.relaying(ergs: 2)
        try await Self.connect(house)
        #expect(await house.allStream())
        #expect(await room.moveRelay(to: Boathouse.serial(2), adapter: "hci1"))
        #expect(await eventually { await !house.service.isPhoneConnected() })
        let isMoved = await eventually {
            await house.service.advertisement(of: "hci1")?.alias == "PM5 430000002"
        }
        #expect(isMoved)
        try await Self.connect(house)
        let serial = try await house.service.read(Self.text(0x12))
        #expect(serial == Array("430000002".utf8))
        #expect(await room.moveRelay(to: "999999999", adapter: "hci1") == false)
        #expect(await room.moveRelay(to: Boathouse.serial(1), adapter: "hci7") == false)
        #expect(await room.moveRelay(to: nil, adapter: "hci1"))
        #expect(await eventually { await !house.service.isPhoneConnected() })
        #expect(await house.service.advertisement(of: "hci1") == nil)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func roomDoesNotUseTheAdapterOfARelay() async throws {
        let (house, room) = try await Self.relaying(ergs: 2)
        #expect(await house.allStream())
        let snapshot = await room.snapshot()
        #expect(snapshot.adapters.map(\.name) == ["hci0"])
        #expect(snapshot.monitors.allSatisfy { $0.status.adapter == "hci0" })
        #expect(await house.service.harmfulCallsOfRelay == HarmfulCalls())
        #expect(await house.service.linksOfRelay == 0)
        await house.stop(room)
    }
}

/// The first monitor and the second adapter.
extension BlueZService {
    fileprivate var subscriptions: Set<CharacteristicID> { radios[0].monitor.subscriptions }
    fileprivate var sampleRate: [UInt8]? { radios[0].monitor.read(.sampleRate) }
    fileprivate var identity: SimulatedIdentity { radios[0].monitor.identity }
    fileprivate var layout: GattLayout { radios[0].layout }
    fileprivate var isRelayPairable: Bool { adapters[1].isPairable }
    fileprivate var harmfulCallsOfRelay: HarmfulCalls { adapters[1].harmfulCalls }
    fileprivate var linksOfRelay: Int { adapters[1].linkCount }
}
