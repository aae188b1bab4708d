import PM5Codec
import Testing

@testable import Relay

@Suite struct RelayTableTests {
    private static func concept2(_ id: UInt16) -> String { PM5UUID.text(.init(rawValue: id)) }

    private static func source(_ service: UInt16, _ ids: [(UInt16, [String])]) -> RelayTable.Source {
        RelayTable.Source(
            uuid: concept2(service), characteristics: ids.map { (concept2($0.0), $0.1) })
    }

    private static let information = source(0x10, [(0x11, ["read"]), (0x12, ["read"])])
    private static let control = source(
        0x20, [(0x21, ["write-without-response", "write"]), (0x22, ["notify"])])
    private static let rowing = source(
        0x30, [(0x31, ["notify"]), (0x34, ["read", "write"]), (0x80, ["notify"])])
    private static let fitness = RelayTable.Source(
        uuid: RelayTable.text(0x1826),
        characteristics: [
            (RelayTable.text(0x2ACC), ["read"]), (RelayTable.text(0x2AD9), ["write", "indicate"]),
        ])

    private static func handles(_ table: RelayTable) -> [String: UInt16] {
        Dictionary(
            table.services.flatMap { service in
                [(service.uuid, service.handle)] + service.characteristics.map { ($0.uuid, $0.handle) }
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test func handlesDoNotDependOnOtherServicesOrTheirOrder() {
        let all = Self.handles(
            RelayTable([Self.information, Self.control, Self.rowing, Self.fitness]))
        let few = Self.handles(RelayTable([Self.rowing, Self.control]))
        for (uuid, handle) in few { #expect(all[uuid] == handle) }
        #expect(all[Self.concept2(0x31)] == 0x0162)
        #expect(all[Self.concept2(0x34)] == 0x0165)
        #expect(all[Self.concept2(0x80)] == 0x0167)
    }

    /// A value, its declaration before it, and the client configuration after it, without a gap: bluetoothd
    /// accepts only handles within as many as the service has attributes.
    @Test func attributesOfAServiceAreContiguous() {
        for service in RelayTable([Self.control, Self.rowing, Self.fitness]).services {
            var next = service.handle + 1
            for characteristic in service.characteristics {
                #expect(characteristic.handle == next + 1)
                next = characteristic.handle + (characteristic.notifies ? 2 : 1)
            }
        }
    }

    @Test func leavesOutServicesOfBluetoothdAndDuplicates() {
        let generic = RelayTable.Source(
            uuid: RelayTable.text(0x1801), characteristics: [(RelayTable.text(0x2A05), ["indicate"])])
        let table = RelayTable([generic, Self.control, Self.control, Self.rowing])
        #expect(table.services.map(\.uuid) == [Self.concept2(0x20), Self.concept2(0x30)])
        #expect(table.isUsable)
        #expect(!table.hasFitnessMachine)
        #expect(!RelayTable([Self.rowing]).isUsable)
    }

    @Test func makesAFitnessMachineOnlyIfTheMonitorHasNone() {
        let own = RelayTable([Self.control, Self.rowing, Self.fitness], makesFitnessMachine: true)
        #expect(own == RelayTable([Self.control, Self.rowing, Self.fitness]))
        #expect(!own.makesFitnessMachine)
        let made = RelayTable([Self.control, Self.rowing], makesFitnessMachine: true)
        #expect(made.makesFitnessMachine && made.hasFitnessMachine)
        let service = made.services.last
        #expect(service?.handle == own.services.last?.handle)
        #expect(
            service?.characteristics.map(\.uuid) == [0x2ACC, 0x2AD1, 0x2AD9, 0x2ADA].map(RelayTable.text))
        #expect(made.services.dropLast().allSatisfy { !$0.characteristics.contains(where: \.isMade) })
    }

    @Test func unknownServicesGetHandlesOfTheirOwn() {
        let unknown = (1...3).map { Self.source(0x90 + UInt16($0), [(0x99, ["read"])]) }
        let services = RelayTable([Self.control] + unknown).services
        #expect(services.map(\.handle) == [0x0140, 0x0300, 0x0380, 0x0400])
    }

    @Test func readsOnlyConstantValuesOnce() {
        let table = RelayTable([Self.information, Self.rowing, Self.fitness])
        let constant = table.services.flatMap(\.characteristics).filter(\.isConstant).map(\.uuid)
        #expect(constant == [Self.concept2(0x11), Self.concept2(0x12), RelayTable.text(0x2ACC)])
    }

    @Test func limitsTheSampleRateToItsByte() {
        let characteristics = RelayTable([Self.control, Self.rowing]).services.flatMap(\.characteristics)
        #expect(characteristics.first { $0.id == .sampleRate }?.writeLimit == 1)
        #expect(characteristics.first { $0.id == .csafeIn }?.writeLimit == nil)
    }
}
