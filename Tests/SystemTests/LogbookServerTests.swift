import Contract
import Foundation
import TestSupport
import Testing

/// rowgate-logbook with a PostgreSQL store.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct LogbookServerTests {
    private typealias Logbook = LogbookStorageTests.Logbook

    private func publish(_ messages: [Traffic.Message], to broker: PrivateBroker) async throws {
        for message in messages {
            try await broker.publish(
                String(decoding: message.payload, as: UTF8.self), to: message.topic)
        }
    }

    private func isVerified(_ sessions: Int, by logbook: Logbook) async throws -> Bool {
        try await eventually {
            let check = try await logbook.run("check")
            return check.status == 0 && check.text.contains("\(sessions) session")
                && check.text.contains("verified")
        }
    }

    /// Stores a session in a file, moves it twice to PostgreSQL, and stores a second session while the
    /// server is killed and restarted.
    @Test(.timeLimit(.minutes(30)))
    func movesFromAFileToAServer() async throws {
        let broker = try await PrivateBroker.running()
        let server = try await PrivatePostgreSQL()
        let database = try await server.makeDatabase()
        var traffic = Traffic()
        let file = try Logbook(broker)
        let before = try await file.start()
        try await publish(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3), to: broker)
        #expect(try await isVerified(1, by: file), "\(before.text)")
        #expect(await before.terminate() == 0)

        let move = try await file.run("move", "--to", database)
        #expect(move.status == 0 && move.text.contains("EQUAL: 9 records"), "\(move.text)")
        let repeated = try await file.run("move", "--to", database)
        #expect(repeated.status == 0 && repeated.text.contains("were moved already"), "\(repeated.text)")
        #expect(repeated.text.contains("EQUAL: 9 records"), "\(repeated.text)")

        let logbook = try Logbook(broker, store: #"postgres = "\#(database)""#)
        #expect(try await logbook.run("--check-config").status == 0)
        let after = try await logbook.start()
        let second = try await logbook.run("--listen", "127.0.0.1:0")
        #expect(second.status == 1 && second.text.contains("another rowgate-logbook uses"))
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3)
        try await publish(Array(session.prefix(4)), to: broker)
        await server.kill()
        try await publish(Array(session.dropFirst(4)), to: broker)
        #expect(await eventually { after.text.contains("store: error: ") }, "\(after.text)")
        try await server.start()
        #expect(try await isVerified(2, by: logbook), "\(after.text)")
        #expect(after.text.contains("takes records again"), "\(after.text)")
        let count = await server.ask("SELECT count(*) FROM record", of: database)
        #expect(count == "18")
        let lines = try await logbook.run(
            "export", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", "--format", "jsonl")
        #expect(lines.status == 0 && lines.text.split(separator: "\n").count == 9, "\(lines.text)")
        #expect(await after.terminate() == 0)
    }
}
