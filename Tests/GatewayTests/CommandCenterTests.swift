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

/// Commands while their requests cannot be stored.
@Suite(.timeLimit(.minutes(30))) struct CommandCenterTests {
    /// Performs every order at once.
    private struct Performer: CommandPerformer {
        func perform(_ order: ParsedCommand, at station: StationID?) async -> CommandOutcome {
            CommandOutcome(.done, "done")
        }
    }

    private final class Answers: Sendable { let count = Atomic(0) }

    private static let erg = StationID("erg-1")!

    private static func center(
        storingIn file: String, counters: CommandCounters = CommandCounters(),
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

    private static func perform(
        _ center: CommandCenter, _ verb: String, erg: String?, _ payload: String
    ) async throws -> String {
        let request = try #require(
            CommandRequest(
                verb: verb, erg: erg, payload: Array(payload.utf8), at: SystemRuntime().now()))
        let replies = await center.carryOut(request)
        return replies.map { String(decoding: $0, as: UTF8.self) }.joined()
    }

    /// The file is a pipe without a reader, so that opening it blocks.
    @Test func stalledDiskBlocksOnlyCommandsWithAnEffect() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("commands")
        #expect(mkfifo(path + ".new", 0o600) == 0)
        let center = try Self.center(storingIn: path)
        let waiting = (0..<8).map { number in
            Task {
                try await Self.perform(
                    center, "assign", erg: "erg-1",
                    #"{"request_id":"a-\#(number)","athlete_id":"zoe"}"#)
            }
        }
        let answers = Answers()
        let ping = Task {
            let reply = try await Self.perform(center, "ping", erg: nil, #"{"request_id":"p-1"}"#)
            answers.count.add(1, ordering: .relaxed)
            return reply
        }
        let isAnswered = await eventually {
            answers.count.load(ordering: .relaxed) > 0
        }
        #expect(isAnswered)
        // A pipe cannot be synced: no command is stored, but each is executed.
        let descriptor = open(path + ".new", O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        for task in waiting { #expect(try await task.value.contains(#""code":"done""#)) }
        #expect(try await ping.value.contains(#""code":"done""#))
    }

    @Test func limitsUnansweredCommands() async throws {
        let folder = try TemporaryFolder()
        let (answers, isReleased) = (Answers(), Answers())
        let counters = CommandCounters()
        let center = try Self.center(
            storingIn: folder.path("commands"), counters: counters,
            respond: { _, _, _, _ in
                answers.count.add(1, ordering: .relaxed)
                while isReleased.count.load(ordering: .relaxed) == 0 {
                    try? await Task.sleep(for: .milliseconds(5))
                }
            })
        func answered(_ count: Int) async -> Bool {
            await eventually { answers.count.load(ordering: .relaxed) == count }
        }
        let limit = CommandCenter.answerLimit
        for number in 1...limit + 100 {
            center.enqueue(Self.command(#"{"request_id":"p-\#(number)"}"#))
            // Empties the mailbox, so that it does not limit the commands.
            _ = await center.workouts
        }
        #expect(await answered(limit))
        #expect(counters.rejected.load(ordering: .relaxed) == 100)
        isReleased.count.add(1, ordering: .relaxed)
        let isAnswered = await eventually {
            center.enqueue(Self.command("{}"))
            return answers.count.load(ordering: .relaxed) > limit
        }
        #expect(isAnswered)
    }
}
