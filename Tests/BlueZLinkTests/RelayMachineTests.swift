import PM5Codec
import Relay
import Testing

@testable import BlueZLink

@Suite struct RelayMachineTests {
    private static let hci1 = "/org/bluez/hci1"
    private static let phone = hci1 + "/dev_5A_00_00_00_00_01"
    private static let other = hci1 + "/dev_5A_00_00_00_00_02"

    private static func table(_ ids: [UInt16] = [0x31]) -> RelayTable {
        RelayTable([
            .init(uuid: PM5UUID.text(.controlService), characteristics: []),
            .init(
                uuid: PM5UUID.text(.rowingService),
                characteristics: ids.map { (PM5UUID.text(.init(rawValue: $0)), ["notify"]) }),
        ])
    }

    private static func monitor(_ serial: String = "430000001", _ ids: [UInt16] = [0x31])
        -> RelayMachine.Monitor
    {
        .init(serial: serial, advertisedName: "PM5 \(serial) Row", table: table(ids))
    }

    /// Takes steps until none is left.
    @discardableResult
    private static func settle(_ machine: inout RelayMachine, phones: Set<String> = []) -> [RelayMachine.Step]
    {
        var steps: [RelayMachine.Step] = []
        var phones = phones
        while let step = machine.next, steps.count < 20 {
            steps.append(step)
            machine.noteBegun(step)
            machine.noteDone(step)
            if case .disconnect(let path) = step {
                phones.remove(path)
                machine.update(adapter: hci1, isPowered: true, phones: phones)
            }
        }
        return steps
    }

    private static func advertising() -> RelayMachine {
        var machine = RelayMachine()
        machine.update(adapter: hci1, isPowered: true, phones: [])
        machine.monitor = monitor()
        settle(&machine)
        return machine
    }

    @Test func registersBeforeItAdvertises() {
        var machine = RelayMachine()
        #expect(machine.next == nil)
        machine.monitor = Self.monitor()
        #expect(machine.next == nil, "no adapter")
        machine.update(adapter: Self.hci1, isPowered: false, phones: [])
        #expect(machine.next == .powerOn)
        machine.update(adapter: Self.hci1, isPowered: true, phones: [])
        #expect(
            Self.settle(&machine) == [
                .setIdentity(alias: "PM5 430000001"), .register(Self.table()), .advertise,
            ])
    }

    @Test func hidesWhileAPhoneIsConnected() {
        var machine = Self.advertising()
        machine.update(adapter: Self.hci1, isPowered: true, phones: [Self.phone])
        #expect(machine.phone == Self.phone)
        #expect(Self.settle(&machine) == [.stopAdvertising])
        machine.update(adapter: Self.hci1, isPowered: true, phones: [])
        #expect(Self.settle(&machine) == [.advertise])
    }

    /// The controller stops a connectable advertisement by itself.
    @Test func advertisesAgainAfterAPhoneThatStayedForAMoment() {
        var machine = Self.advertising()
        machine.update(adapter: Self.hci1, isPowered: true, phones: [Self.phone])
        machine.update(adapter: Self.hci1, isPowered: true, phones: [])
        #expect(Self.settle(&machine) == [.stopAdvertising, .advertise])
    }

    @Test func advertisesAgainAfterAPhoneThatWasFasterThanTheAnswer() {
        var machine = Self.advertising()
        machine.noteRelease()
        machine.noteBegun(.advertise)
        machine.update(adapter: Self.hci1, isPowered: true, phones: [Self.phone])
        machine.update(adapter: Self.hci1, isPowered: true, phones: [])
        machine.noteDone(.advertise)
        #expect(Self.settle(&machine) == [.stopAdvertising, .advertise])
    }

    @Test func keepsTheFirstOfTwoPhones() {
        var machine = Self.advertising()
        machine.update(adapter: Self.hci1, isPowered: true, phones: [Self.other])
        machine.update(adapter: Self.hci1, isPowered: true, phones: [Self.phone, Self.other])
        #expect(machine.phone == Self.other)
        #expect(machine.next == .disconnect(Self.phone))
    }

    @Test func disconnectsThePhoneWhenTheMonitorIsGone() {
        var machine = Self.advertising()
        machine.update(adapter: Self.hci1, isPowered: true, phones: [Self.phone])
        Self.settle(&machine)
        machine.monitor = nil
        #expect(Self.settle(&machine, phones: [Self.phone]) == [.disconnect(Self.phone)])
        machine.monitor = Self.monitor()
        #expect(Self.settle(&machine) == [.advertise], "the services are registered still")
    }

    @Test func disconnectsAPhoneThatIsConnectedBeforeTheServicesExist() {
        var machine = RelayMachine()
        machine.update(adapter: Self.hci1, isPowered: true, phones: [Self.phone])
        machine.monitor = Self.monitor()
        #expect(machine.phone == nil)
        #expect(
            Self.settle(&machine, phones: [Self.phone]) == [
                .disconnect(Self.phone), .setIdentity(alias: "PM5 430000001"), .register(Self.table()),
                .advertise,
            ])
    }

    @Test func startsAnewAfterALossOfBluetoothd() {
        var machine = Self.advertising()
        machine.forgetService()
        #expect(machine.next == nil && !machine.isAdvertising && machine.registered == nil)
        machine.update(adapter: Self.hci1, isPowered: true, phones: [])
        #expect(Self.settle(&machine).count == 3)
    }

    @Test func registersWhileTheMonitorIsExpected() {
        var machine = Self.advertising()
        // bluetoothd was restarted, so the link of the monitor is gone too.
        machine.forgetService()
        machine.monitor = nil
        machine.update(adapter: Self.hci1, isPowered: false, phones: [])
        #expect(machine.next == nil, "bluetoothd switches it on")
        machine.update(adapter: Self.hci1, isPowered: true, phones: [Self.phone])
        let begun: [RelayMachine.Step] = [
            .disconnect(Self.phone), .setIdentity(alias: "PM5 430000001"), .register(Self.table()),
        ]
        #expect(Self.settle(&machine, phones: [Self.phone]) == begun)
        #expect(machine.phone == nil)
        machine.monitor = Self.monitor()
        #expect(Self.settle(&machine) == [.advertise])
        // Another firmware has another table.
        machine.monitor = nil
        let changed = Self.monitor("430000001", [0x31, 0x32])
        machine.monitor = changed
        let replaced: [RelayMachine.Step] = [
            .stopAdvertising, .unregister, .register(changed.table), .advertise,
        ]
        #expect(Self.settle(&machine) == replaced)
        machine.forgetMonitor()
        machine.forgetService()
        machine.update(adapter: Self.hci1, isPowered: true, phones: [])
        #expect(machine.next == nil, "no monitor is expected")
    }

    @Test func replacesTheTableOfAnotherMonitor() {
        var machine = Self.advertising()
        let other = Self.monitor("430000002", [0x31, 0x32])
        machine.monitor = other
        #expect(
            Self.settle(&machine) == [
                .stopAdvertising, .setIdentity(alias: "PM5 430000002"), .unregister,
                .register(other.table), .advertise,
            ])
    }

    @Test func advertisesAgainAfterARelease() {
        var machine = Self.advertising()
        machine.noteRelease()
        #expect(Self.settle(&machine) == [.advertise])
        machine.update(adapter: Self.hci1, isPowered: false, phones: [])
        machine.update(adapter: Self.hci1, isPowered: true, phones: [])
        #expect(Self.settle(&machine) == [.advertise])
    }

    @Test func keepsTheAdvertisedNameAfterAConnection() {
        var device = DeviceObject(path: "/org/bluez/hci0/dev_1")
        device.apply(["Name": .string("PM5 430000001 Row")])
        // The name of the GAP service.
        device.apply(["Name": .string("PM5 430000001")])
        #expect(device.monitorName?.text == "PM5 430000001 Row")
        device.apply(["Name": .string("PM5 430000002")])
        #expect(device.monitorName?.text == "PM5 430000002")
    }

    /// All objects are read again when the services of a monitor are known.
    @Test func keepsTheAdvertisedNameWhenAllObjectsAreReadAgain() {
        let path = "/org/bluez/hci0/dev_1"
        func tree(_ name: String, _ old: ObjectTree? = nil) -> ObjectTree {
            ObjectTree([path: [BlueZName.device: ["Name": .string(name)]]], replacing: old)
        }
        let first = tree("PM5 430000001 Row")
        #expect(tree("PM5 430000001", first).devices[path]?.monitorName?.text == "PM5 430000001 Row")
        #expect(tree("PM5 430000001 Ski", first).devices[path]?.monitorName?.text == "PM5 430000001 Ski")
        #expect(tree("PM5 430000002", first).devices[path]?.monitorName?.text == "PM5 430000002")
        #expect(tree("Another", first).devices[path]?.monitorName == nil)
    }
}
