import Testing
import Timeline

@testable import WebServer

/// The connection limits and addresses, without a socket.
@Suite struct ConnectionTableTests {
    private static func address(_ last: UInt8) -> ClientAddress {
        ClientAddress([192, 0, 2, last])
    }

    private static func moment(_ seconds: Int) -> BootInstant {
        BootInstant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    /// Opens a connection from an address, with its number as its socket.
    private static func open(
        _ id: Int, from last: UInt8, in table: inout ConnectionTable, at second: Int? = nil
    ) -> [Int32] {
        table.opened(
            UInt(id), descriptor: Int32(id), address: address(last), at: moment(second ?? id))
    }

    @Test func limitsConnectionsOfOneAddress() {
        var limits = WebLimits()
        limits.connectionsPerAddress = 3
        var table = ConnectionTable(limits: limits)
        for id in 1...3 {
            #expect(table.makeRoom(for: Self.address(1)) == [])
            #expect(Self.open(id, from: 1, in: &table) == [])
            table.beganAnswer(UInt(id), isStream: true, at: Self.moment(id))
        }
        #expect(table.makeRoom(for: Self.address(1)) == nil)
        #expect(table.makeRoom(for: Self.address(2)) == [])
        #expect(table.makeRoom(for: ClientAddress([127, 0, 0, 1])) == [])
        // An idle one of the same address makes room.
        #expect(table.completed(2, at: Self.moment(5)) == [])
        #expect(table.makeRoom(for: Self.address(1)) == [2])
        table.closed(2)
        #expect(table.makeRoom(for: Self.address(1)) == [])
    }

    @Test func closesOldestIdleConnectionOfOneAddress() {
        var limits = WebLimits()
        limits.idleConnectionsPerAddress = 3
        var table = ConnectionTable(limits: limits)
        for id in 1...3 { #expect(Self.open(id, from: 1, in: &table) == []) }
        #expect(Self.open(4, from: 1, in: &table) == [1])
        // The first is still being closed and counts no longer.
        #expect(Self.open(5, from: 2, in: &table) == [])
        table.beganAnswer(2, isStream: false, at: Self.moment(6))
        #expect(Self.open(7, from: 1, in: &table) == [])
        // Its answer is complete. Of the four idle connections the third is idle for longest.
        #expect(table.completed(2, at: Self.moment(8)) == [3])
        let here = ClientAddress([127, 0, 0, 1])
        for id in UInt(10)...20 {
            let victims = table.opened(id, descriptor: 5, address: here, at: Self.moment(9))
            #expect(victims == [])
        }
    }

    @Test func makesRoomAmongIdleConnectionsOfTheClientWithMost() {
        var limits = WebLimits()
        limits.connections = 4
        var table = ConnectionTable(limits: limits)
        // The only one of its address is the oldest.
        #expect(Self.open(1, from: 1, in: &table) == [])
        for id in 2...4 { #expect(Self.open(id, from: 2, in: &table) == []) }
        #expect(table.makeRoom(for: Self.address(3)) == [2])
    }

    @Test func makesRoomWhenTheTableIsFull() {
        var limits = WebLimits()
        limits.connections = 4
        var table = ConnectionTable(limits: limits)
        for id in 1...4 { #expect(Self.open(id, from: UInt8(id), in: &table) == []) }
        table.beganAnswer(1, isStream: true, at: Self.moment(5))
        table.beganBody(2, at: Self.moment(5))
        #expect(table.makeRoom(for: Self.address(9)) == [3])
        #expect(Self.open(5, from: 9, in: &table) == [])
        table.beganAnswer(5, isStream: true, at: Self.moment(6))
        #expect(table.makeRoom(for: Self.address(9)) == [4])
        #expect(Self.open(6, from: 9, in: &table) == [])
        table.beganAnswer(6, isStream: false, at: Self.moment(6))
        // Nothing is idle: a connection that waits for a body is closed, an answer and a stream are not.
        #expect(table.makeRoom(for: Self.address(9)) == [2])
        #expect(Self.open(7, from: 9, in: &table) == [])
        table.beganAnswer(7, isStream: true, at: Self.moment(7))
        #expect(table.makeRoom(for: Self.address(9)) == nil)
    }

    @Test func requestsAndAnswersHaveDeadlinesAndStreamsNone() {
        var limits = WebLimits()
        (limits.requestTime, limits.answerTime) = (.seconds(10), .seconds(20))
        var table = ConnectionTable(limits: limits)
        #expect(table.opened(1, descriptor: 5, address: nil, at: Self.moment(0)) == [])
        #expect(table.overdue(at: Self.moment(9)) == [])
        #expect(table.overdue(at: Self.moment(10)) == [5])
        table.beganBody(1, at: Self.moment(3))
        #expect(table.overdue(at: Self.moment(12)) == [])
        table.beganAnswer(1, isStream: false, at: Self.moment(9))
        #expect(table.overdue(at: Self.moment(28)) == [])
        #expect(table.overdue(at: Self.moment(29)) == [5])
        #expect(table.completed(1, at: Self.moment(28)) == [])
        #expect(table.overdue(at: Self.moment(38)) == [5])
        table.beganAnswer(1, isStream: true, at: Self.moment(30))
        #expect(table.overdue(at: Self.moment(1_000_000)) == [])
    }

    @Test func groupsIPv6AddressesByNetwork() {
        let one: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
        var (neighbour, foreign) = (one, one)
        neighbour[15] = 9
        foreign[7] = 9
        #expect(ClientAddress(one) == ClientAddress(neighbour))
        #expect(ClientAddress(one) != ClientAddress(foreign))
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1]
        #expect(ClientAddress(mapped) == Self.address(1))
        #expect(ClientAddress([UInt8](repeating: 0, count: 15) + [1]).isLoopback)
        #expect(ClientAddress([127, 3, 2, 1]).isLoopback && !Self.address(1).isLoopback)
    }

    @Test func recognizesAddressesOfTheLocalNetwork() {
        #expect(ClientAddress([127, 0, 0, 1]).isOnLocalNetwork)
        #expect(!ClientAddress([203, 0, 113, 9]).isOnLocalNetwork)
        #expect(!ClientAddress([UInt8](repeating: 0x20, count: 16)).isOnLocalNetwork)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", true), ("0.0.0.0:0", true), ("[::1]:80", true), ("[::]:65535", true),
        ("localhost:80", false), ("127.0.0.1", false), ("127.0.0.1:", false), (":80", false),
        ("127.0.0.1:65536", false), ("::1:80", false), ("[127.0.0.1]:80", false), ("", false),
    ])
    func parsesListenAddresses(text: String, isOne: Bool) {
        #expect((ListenAddress(text) != nil) == isOne)
        #expect(ListenAddress(text)?.description == (isOne ? text : nil))
    }
}
