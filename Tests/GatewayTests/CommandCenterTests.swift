import Contract
import Foundation
import Glibc
import HostRuntime
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import MQTTClient
@testable import Publishing

/// Commands while the disk does not take what is remembered of them.
@Suite(.timeLimit(.minutes(30))) struct CommandCenterTests {
    /// Does at once whatever is asked for.
    private struct Performer: CommandPerformer {
        func perform(_ order: CommandOrder, at station: StationID?) async -> CommandOutcome {
            CommandOutcome(.done, "done")
        }
    }

    private final class Answers: Sendable { let count = Atomic(0) }

    private static let erg = StationID("erg-1")!

    private static func center(
        remembering file: String, counters: CommandCounters = CommandCounters(),
        respond: @escaping CommandCenter.Responder = { _, _, _, _ in }
    ) throws -> CommandCenter {
        try CommandCenter(
            gateway: #require(GatewayID("boathouse")), allowed: AllowedCommands(changes: true),
            athletes: nil,
            performer: Performer(), stations: { [erg] }, respond: respond,
            counters: counters, file: StateFile(path: file), runtime: SystemRuntime(),
            log: SystemLog(subsystem: "test", threshold: .critical))
    }

    private static func command(_ payload: String) -> IncomingCommand {
        IncomingCommand(
            target: .gateway, verb: "ping",
            message: IncomingMessage(topic: "cmd/ping", payload: Array(payload.utf8)),
            receivedAt: SystemRuntime().now())
    }

    private static func ask(
        _ center: CommandCenter, _ verb: String, erg: String?, _ payload: String
    ) async throws -> String {
        let request = try #require(
            CommandRequest(
                verb: verb, erg: erg, payload: Array(payload.utf8), at: SystemRuntime().now()))
        let replies = await center.carryOut(request)
        return replies.map { String(decoding: $0, as: UTF8.self) }.joined()
    }

    /// Goal: a disk that takes nothing holds up those commands alone that have to be remembered.
    /// Method: the file that they are written to is a pipe that nobody has open to read, so that its
    /// opening waits; then somebody has.
    @Test func aDiskThatTakesNothingHoldsUpNobodyElse() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("commands")
        #expect(mkfifo(path + ".new", 0o600) == 0)
        let center = try Self.center(remembering: path)
        let waiting = (0..<8).map { number in
            Task {
                try await Self.ask(
                    center, "assign", erg: "erg-1",
                    #"{"request_id":"a-\#(number)","athlete_id":"zoe"}"#)
            }
        }
        let answers = Answers()
        let ping = Task {
            let reply = try await Self.ask(center, "ping", erg: nil, #"{"request_id":"p-1"}"#)
            answers.count.add(1, ordering: .relaxed)
            return reply
        }
        let isAnswered = await eventually {
            answers.count.load(ordering: .relaxed) > 0
        }
        #expect(isAnswered)
        // A pipe cannot be synced: nothing is remembered, and all is done.
        let descriptor = open(path + ".new", O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        for task in waiting { #expect(try await task.value.contains(#""code":"done""#)) }
        #expect(try await ping.value.contains(#""code":"done""#))
    }

    /// Goal: what is asked faster than it is answered does not pile up in memory, and is counted; later
    /// ones are answered. Method: commands whose replies are not taken; then they are.
    @Test func whatIsNotAnsweredYetIsBounded() async throws {
        let folder = try TemporaryFolder()
        let (answers, isTaken) = (Answers(), Answers())
        let counters = CommandCounters()
        let center = try Self.center(
            remembering: folder.path("commands"), counters: counters,
            respond: { _, _, _, _ in
                answers.count.add(1, ordering: .relaxed)
                while isTaken.count.load(ordering: .relaxed) == 0 {
                    try? await Task.sleep(for: .milliseconds(5))
                }
            })
        func answered(_ count: Int) async -> Bool {
            await eventually { answers.count.load(ordering: .relaxed) == count }
        }
        let limit = CommandCenter.answerLimit
        for number in 1...limit + 100 {
            center.take(Self.command(#"{"request_id":"p-\#(number)"}"#))
            // The mailbox is emptied: it is not what holds them.
            _ = await center.workouts
        }
        #expect(await answered(limit))
        #expect(counters.rejected.load(ordering: .relaxed) == 100)
        isTaken.count.add(1, ordering: .relaxed)
        let isAnswered = await eventually {
            center.take(Self.command("{}"))
            return answers.count.load(ordering: .relaxed) > limit
        }
        #expect(isAnswered)
    }
}
