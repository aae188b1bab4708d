import Foundation
import TestSupport
import Testing

/// An erg that leaves the configuration disappears from the broker and from the pages.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct FormerErgTests {
    /// Change between two starts of the gateway.
    enum Change: CaseIterable, Sendable {
        case removed, removedWithRing, renamed, renamedWithRing

        /// The slug of the second monitor afterwards.
        var slug: String? {
            switch self {
            case .removed, .removedWithRing: nil
            case .renamed, .renamedWithRing: "bow"
            }
        }

        /// Whether the gateway is killed and its ring deleted; otherwise the gateway is stopped.
        var losesRing: Bool { self == .removedWithRing || self == .renamedWithRing }
    }

    @Test(.timeLimit(.minutes(30)), arguments: Change.allCases)
    func removesAnUnconfiguredErg(change: Change) async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout just-row --seed 5".words)
        try room.configure("[homeassistant]\ndiscovery = \"always\"\n")
        let first = try await room.startGateway(untilStrokes: 2)
        let logbook = try await LogbookTests.Logbook(room.broker)
        #expect(try await room.retainedTopics().contains { $0.contains("erg-2/state") })
        #expect(try await room.retainedTopics().contains { $0.contains("rowgate-test-erg-2") })
        #expect(try await eventually { try await logbook.roomEvent().contains(#""erg":"erg-2""#) })
        if change.losesRing {
            first.signal(SIGKILL)
            await first.waitForExit()
            for file in try FileManager.default.contentsOfDirectory(atPath: room.folder.path(""))
            where file.hasPrefix("ring.log") {
                try FileManager.default.removeItem(atPath: room.folder.path(file))
            }
        } else {
            #expect(await first.terminate() == 0)
        }
        room.rename(erg: 2, to: change.slug)
        let second = try await room.startGateway()
        let isGone = try await eventually(within: .seconds(60)) {
            try await !room.retainedTopics().contains { $0.contains("erg-2") }
        }
        let retained = try await room.retainedTopics().filter { $0.contains("erg-2") }
        #expect(isGone, "\(retained)")
        // The birth still names the streams of erg-2 in the ring.
        let isOffPage = try await eventually(within: .seconds(20)) {
            try await !logbook.roomEvent().contains(#""erg":"erg-2""#)
        }
        let board = try await logbook.roomEvent()
        #expect(isOffPage, "\(board)")
        if let slug = change.slug {
            #expect(try await eventually { try await logbook.roomEvent().contains(slug) })
        }
        #expect(try await logbook.roomEvent().contains(#""erg":"erg-1""#))
        #expect(await second.terminate() == 0)
        #expect(await logbook.process.terminate() == 0)
    }
}

extension SimulatedRoom {
    /// Topics of every retained message.
    fileprivate func retainedTopics() async throws -> [String] {
        let client = try ChildProcess(
            "mosquitto_sub",
            [
                "-V", "5", "-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "rowgate/#", "-t",
                "homeassistant/#", "--retained-only", "-F", "%t", "-W", "1",
            ])
        await client.waitForExit()
        return client.lines
    }
}

extension LogbookTests.Logbook {
    /// Returns the first event of a new event stream, which holds the whole page.
    fileprivate func roomEvent() async throws -> String {
        let client = try ChildProcess(
            "curl", ["-sN", "--max-time", "1", address + "api/v1/live"])
        await client.waitForExit()
        return client.text.components(separatedBy: "\n\n").first { $0.contains("event: room") } ?? ""
    }
}
