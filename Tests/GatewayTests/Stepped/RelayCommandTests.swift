import Contract
import TestSupport
import Testing

@testable import Gateway

/// A coach moves the relays of a gateway.
struct RelayCommandTests {
    private func withGateway(
        adapters: Int, _ body: @escaping @Sendable (CommandSender, SteppedDay) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let names = (1..<(adapters + 1)).map { "\"hci\($0)\"" }.joined(separator: ", ")
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(
                on: machine, seed: 1, folder: folder.path,
                settings: "bluetooth.relay_adapters = [\(names)]\n")
            try await day.startGateway()
            await machine.sleep(for: .seconds(60))
            try await body(CommandSender(day, on: machine), day)
            await day.stopGateway()
        }
    }

    private static func relays(_ sender: CommandSender) -> [String] {
        guard case .list(let relays)? = sender.retained("relays")?["relays"] else { return ["missing"] }
        return relays.map { relay in
            guard case .object(let fields) = relay else { return "" }
            return ["adapter", "erg", "state"].compactMap { fields.text($0) }.joined(separator: " ")
        }
    }

    @Test func onlyRelayMovesAndEnds() async throws {
        try await withGateway(adapters: 1) { sender, _ in
            #expect(Self.relays(sender) == ["hci1 waiting_for_monitor"])
            #expect(await sender.send("erg/erg-1/cmd/relay") == "done")
            #expect(Self.relays(sender) == ["hci1 erg-1 advertising"])
            #expect(await sender.send("erg/erg-2/cmd/relay") == "done")
            #expect(Self.relays(sender) == ["hci1 erg-2 advertising"])
            #expect(await sender.send("erg/erg-1/cmd/relay", #""off":true"#) == "done")
            #expect(Self.relays(sender) == ["hci1 erg-2 advertising"])
            #expect(await sender.send("erg/erg-2/cmd/relay", #""off":true"#) == "done")
            #expect(Self.relays(sender) == ["hci1 waiting_for_monitor"])
        }
    }

    @Test func phoneIsDisconnectedOnlyWithForce() async throws {
        try await withGateway(adapters: 1) { sender, day in
            #expect(await sender.send("erg/erg-1/cmd/relay") == "done")
            day.room?.connectPhone(to: "hci1")
            #expect(await sender.send("erg/erg-1/cmd/relay") == "done")
            #expect(Self.relays(sender) == ["hci1 erg-1 connected"])
            #expect(await sender.send("erg/erg-2/cmd/relay") == "phone_connected")
            #expect(await sender.send("erg/erg-1/cmd/relay", #""off":true"#) == "phone_connected")
            #expect(Self.relays(sender) == ["hci1 erg-1 connected"])
            #expect(await sender.send("erg/erg-2/cmd/relay", #""force":true"#) == "done")
            #expect(Self.relays(sender) == ["hci1 erg-2 advertising"])
        }
    }

    @Test func amongSeveralRelaysAFreeOneIsUsedAndAnotherIsNamed() async throws {
        try await withGateway(adapters: 2) { sender, _ in
            #expect(await sender.send("erg/erg-1/cmd/relay", #""adapter":"hci2""#) == "done")
            #expect(await sender.send("erg/erg-2/cmd/relay") == "done")
            #expect(Self.relays(sender) == ["hci1 erg-2 advertising", "hci2 erg-1 advertising"])
            #expect(await sender.send("erg/erg-3/cmd/relay") == "no_relay")
            let message = sender.reply?.text("message")
            #expect(message == "name the adapter of the relay to move; there are: hci1 (erg-2), hci2 (erg-1)")
            #expect(await sender.send("erg/erg-3/cmd/relay", #""adapter":"hci3""#) == "no_relay")
            #expect(await sender.send("erg/erg-1/cmd/relay", #""adapter":"hci1""#) == "done")
            #expect(Self.relays(sender) == ["hci1 erg-1 advertising", "hci2 waiting_for_monitor"])
        }
    }

    @Test func gatewayWithoutRelayNamesTheRemedy() async throws {
        try await withGateway(adapters: 0) { sender, _ in
            #expect(Self.relays(sender) == [])
            #expect(await sender.send("erg/erg-1/cmd/relay") == "no_relay")
            #expect(sender.reply?.text("message")?.contains("relay_adapters in [bluetooth]") == true)
            #expect(await sender.send("erg/erg-1/cmd/relay", #""adapter":1"#) == "bad_value")
        }
    }
}
